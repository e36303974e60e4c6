//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import Testing

@testable import GodwitClientNIO
@testable import GodwitTransport

/// Tests to which addresses a guarded client connects (issue 21, number 6).
@Suite struct PeerGuardTests {
    /// With TLS the client resolves the name itself, after its addresses were checked.
    @Test("A connection to an address that is not allowed gets no request, whatever was checked before")
    func connection() async throws {
        let requests = Mutex(0)
        let server = try SocketServer { peer in
            requests.withLock { $0 += 1 }
            peer.send("HTTP/1.1 200 OK\nContent-Length: 0\nConnection: close\n\n")
        }
        let words = Mutex(["*"])
        let peers = PeerGuard { AllowedHosts(words.withLock { $0 }) ?? AllowedHosts() }
        let unchecked = AsyncHTTPTransport(client: peers.client)
        let request = TransportRequest(method: "GET", url: server.address, secondsMax: 10)
        await #expect(throws: ReplicationError.self) { try await unchecked.send(request) }
        #expect(requests.withLock { $0 } == 0)

        words.withLock { $0 = ["127.0.0.1"] }
        #expect(try await unchecked.send(request).status == 200)
        #expect(requests.withLock { $0 } == 1)
    }
}
