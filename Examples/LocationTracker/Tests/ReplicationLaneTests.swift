//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitDatabase
import Synchronization
import Testing

@testable import DeviceKit

@Suite("One replication at a time")
struct ReplicationLaneTests {
    @Test("Requests during a run are followed by exactly one more run")
    func turns() {
        var turn = ReplicationTurn()
        let requests = [turn.request(), turn.request(), turn.request()]
        #expect(requests == [true, false, false])
        let ends = [turn.end(), turn.end()]
        #expect(ends == [true, false])
        let again = [turn.request(), turn.end()]
        #expect(again == [true, false])
    }

    @Test("Every write before a request is replicated, and no two replications overlap")
    func lane() async throws {
        let folder = try TemporaryFolder()
        let manager = try DatastoreManager(directory: folder.path)
        let (source, target) = (try await manager.datastore(named: "a"), try await manager.datastore(named: "b"))
        let running = Mutex((now: 0, most: 0, runs: 0))
        let lane = ReplicationLane(Replicator(.push, source, with: LocalEndpoint(target))) { event in
            running.withLock { running in
                switch event {
                case .began: running = (running.now + 1, max(running.most, running.now + 1), running.runs + 1)
                case .ended: running.now -= 1
                case .step: break
                }
            }
        }
        #expect(await lane.settled() == nil)
        for number in 0..<50 {
            _ = try await source.create(Document(body: ["n": .integer(Int64(number))]))
            await lane.request()
        }
        let outcome = await lane.settled()
        #expect(try outcome?.get().failures.isEmpty == true)
        #expect(try target.documentCount == 50)
        #expect(running.withLock { $0.now == 0 && $0.most == 1 && (1...50).contains($0.runs) })
        await manager.close()
    }
}
