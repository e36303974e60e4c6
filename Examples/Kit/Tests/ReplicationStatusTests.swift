//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import GodwitSync
import GodwitTransport
import Testing

@Suite("The status of replications in words")
struct ReplicationStatusTests {
    @Test("It begins, counts, and ends with the words of the original")
    func words() {
        var status = ReplicationStatus()
        #expect(status.text.isEmpty && !status.isRunning)
        status.take(.began)
        #expect(status.text == "Replication Started" && status.isRunning)
        status.take(.step(.progress(ReplicationProgress(changesDone: 0, changesTotal: 0))))
        #expect(status.text == "Replication Started")
        status.take(.step(.progress(ReplicationProgress(changesDone: 3, changesTotal: 12))))
        #expect(status.text == "Replication 3/12")
        status.take(.ended(.failure(ReplicationError(.network, "the server cannot be reached"))))
        #expect(status.text == "Replication Error" && !status.isRunning)
        #expect(status.reason == "The server cannot be reached.")
        let failure = ReplicationError(.peerFailed, "GET http://127.0.0.1:5984/geopix failed", status: 500)
        status.take(.ended(.failure(failure)))
        #expect(status.reason == "The server cannot answer now. The app tries again.")
        status.take(.began)
        #expect(status.isRunning && status.text == "Replication Started")
    }
}
