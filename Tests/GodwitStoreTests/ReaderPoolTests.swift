//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import Testing

@testable import GodwitStore

@Suite("The pool of readers")
struct ReaderPoolTests {
    @Test("Closing waits for a reader in use, and refuses further ones")
    func closeWaits() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                try await store.save(#"{"_id":"a","n":1}"#)
                let (lent, reportLent) = AsyncStream.makeStream(of: Void.self)
                let mayEnd = DispatchSemaphore(value: 0)
                let isClosed = Shared(false)
                let reading = Task {
                    try await BlockingPool.shared.run {
                        try store.read { table in
                            reportLent.yield()
                            mayEnd.wait()
                            #expect(!isClosed.value)
                            return try table.row(id: "a")?.id
                        }
                    }
                }
                for await _ in lent { break }
                let closing = Task {
                    await store.database.close()
                    isClosed.change { $0 = true }
                }
                while (try? store.document("a")) != nil { await Task.yield() }
                await expectFailure(.closed) { _ = try store.document("a") }
                mayEnd.signal()
                #expect(try await reading.value == "a")
                await closing.value
                #expect(isClosed.value)
                await store.database.close()
            }
        }
    }

    @Test("More concurrent readers than the pool keeps")
    func manyAtOnce() async throws {
        var limits = StoreLimits()
        limits.readersIdleMax = 2
        try await withDatastore(limits: limits) { store in
            try await store.save(#"{"_id":"a"}"#)
            // Nested reads: each level uses another connection.
            func nest(_ depth: Int) throws -> Int {
                try store.read { table in
                    #expect(try table.row(id: "a") != nil)
                    return depth == 0 ? 1 : try nest(depth - 1) + 1
                }
            }
            #expect(try nest(20) == 21)
            #expect(try nest(20) == 21)
        }
    }

    @Test("A snapshot sees one state, during any writes")
    func snapshot() async throws {
        try await withDatastore { store in
            let first = try await store.save(#"{"_id":"a"}"#)
            let mayRead = DispatchSemaphore(value: 0)
            let (opened, reportOpened) = AsyncStream.makeStream(of: Void.self)
            let seen = Task {
                try await BlockingPool.shared.run {
                    try store.readTogether { table in
                        let before = try table.row(id: "a")?.winner.revision
                        reportOpened.yield()
                        mayRead.wait()
                        return [before, try table.row(id: "a")?.winner.revision]
                    }
                }
            }
            for await _ in opened { break }
            let second = try await store.save(#"{"_id":"a","_rev":"\#(first)"}"#)
            mayRead.signal()
            #expect(try await seen.value == [first, first])
            #expect(try store.document("a").revision == second)
        }
    }
}
