//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBackend
import GodwitBase
import GodwitClientNIO
import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitSync
import GodwitTransport
import Testing

@testable import GodwitAccess

/// Counts the requests for a path.
private final class CountingTransport: Transport {
    private let path: String
    private let counter = Mutex(0)

    init(_ path: String) { self.path = path }

    var count: Int { counter.withLock { $0 } }

    func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
        if request.url.hasSuffix(path) { counter.withLock { $0 += 1 } }
        return try await transport.send(request)
    }
}

@Suite("The session of the Bluelist adapter", .timeLimit(.minutes(5)))
struct BluelistTests {
    private static let documentsCount = 20_000
    private static let attachmentsEvery = 20

    private func fill(_ store: Datastore) async throws {
        for start in stride(from: 0, to: BluelistTests.documentsCount, by: 500) {
            let documents = (start..<start + 500).map { (number: Int) -> Document in
                var document = Document(
                    id: "item-\(number)", body: ["@datatype": "TodoItem", "n": .integer(Int64(number))])
                if number % BluelistTests.attachmentsEvery == 0 {
                    let bytes = [UInt8](repeating: UInt8(number & 0xFF), count: 2_000)
                    document.attachments["photo"] = .data(bytes, contentType: "image/jpeg")
                }
                return document
            }
            for written in try await store.writeEach(documents.map { .create($0) }) { _ = try written.get() }
        }
    }

    @Test("A cookie that expires every 3 seconds renews itself while 20 000 documents with attachments are replicated")
    func expiringCookie() async throws {
        try await AppServer.run { server in
            try await server.register("ann")
            try await server.configure("chttpd_auth", "timeout", "3")
            let access = try server.access()
            _ = try await access.logIn(name: "ann", password: "secret word")
            let counting = CountingTransport("/sessioncookie")
            let bluelist = try BluelistSession(
                adapter: "\(server.address)/bluelist", tokens: access, transport: counting)
            let enrolment = try await bluelist.enroll()
            try await withFolder { folder in
                let manager = try DatastoreManager(directory: folder, durability: .normal)
                let source = try await manager.datastore(named: "source")
                try await fill(source)
                let remote = try RemoteEndpoint.couchDB(
                    enrolment.url, interceptor: bluelist.interceptor, transport: transport)
                let clock = ContinuousClock()
                let began = clock.now
                let pushed = try await Replicator(.push, source, with: remote).run()
                #expect(pushed.counts.documentsWritten == BluelistTests.documentsCount)
                #expect(pushed.counts.writeFailures == 0)
                let target = try await manager.datastore(named: "target")
                let pulled = try await Replicator(.pull, target, with: remote).run()
                // The server's database has the index of the adapter too.
                #expect(pulled.counts.documentsWritten == BluelistTests.documentsCount + 1)
                let seconds = Int((clock.now - began).components.seconds)

                // Each document arrived, and was written once.
                for store in [try await server.manager.existingDatastore(named: enrolment.database), target] {
                    let info = try store.info()
                    #expect(info.documentCount == BluelistTests.documentsCount + 1)
                    #expect(info.updateSequence.number == info.documentCount)
                    let last = try store.document(
                        "item-\(BluelistTests.documentsCount - BluelistTests.attachmentsEvery)")
                    #expect(last.attachments["photo"]?.length == 2_000)
                }
                #expect(counting.count >= seconds / 6 && counting.count <= seconds / 3 + 2)
                await manager.close()
            }
        }
    }
}
