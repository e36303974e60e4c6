//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import TestKit
import Testing

@testable import GodwitStore

@Suite("Reading in slices of one state")
struct SliceReaderTests {
    @Test("All slices see the state of the first, and the last gives it back")
    func oneState() async throws {
        try await withNumbers { store in
            let slices = SliceReader(store)
            for round in 1...5 {
                let read = try numbers(slices)
                #expect(read == [0, 0])
                try await store.setNumbers(round)
            }
            #expect(store.snapshotCount == 1)
            let last = try slices.read { table, isLast in
                isLast = true
                return try table.numbers()
            }
            #expect(last == [0, 0])
            #expect(store.snapshotCount == 0)
            let next = try numbers(slices)
            #expect(next == [5, 5])
        }
    }

    @Test("An abandoned reader gives its state back, as does one whose first slice fails")
    func abandoned() async throws {
        try await withNumbers { store in
            do {
                let slices = SliceReader(store)
                #expect(try numbers(slices) == [0, 0])
                #expect(store.snapshotCount == 1)
            }
            #expect(store.snapshotCount == 0)
            let slices = SliceReader(store)
            await expectFailure(.notFound) { try slices.read { table, _ in _ = try table.document("none") } }
            #expect(store.snapshotCount == 0)
            // A later slice that fails loses nothing: the next one sees the same state.
            #expect(try numbers(slices) == [0, 0])
            try await store.setNumbers(1)
            await expectFailure(.notFound) { try slices.read { table, _ in _ = try table.document("none") } }
            #expect(try numbers(slices) == [0, 0])
        }
    }

    @Test("A log that grows too long ends the state, and the reader goes on with the present one")
    func longLog() async throws {
        var limits = StoreLimits()
        limits.checkpointPages = 100
        limits.logBytesMax = 4 << 20
        try await withNumbers(limits: limits) { store in
            let slices = SliceReader(store)
            #expect(try numbers(slices) == [0, 0])
            try await store.setNumbers(1)
            #expect(try numbers(slices) == [0, 0])
            let text = String(repeating: "x", count: 100_000)
            for n in 0..<100 { _ = try await store.create(Document(id: "x\(n)", body: ["x": .string(text)])) }
            #expect(store.snapshotCount == 0)
            #expect(try fileSize(store.database.file.path + "-wal") < limits.logBytesMax)
            #expect(try numbers(slices) == [1, 1])
            // From here on, this state is kept.
            try await store.setNumbers(2)
            #expect(try numbers(slices) == [1, 1])
        }
    }

    @Test("An old state ends when the log is half as long as it may be, a young one does not")
    func ages() async throws {
        for seconds in [0.0, 3_600] {
            var limits = StoreLimits()
            limits.checkpointPages = 100
            limits.logBytesMax = 8 << 20
            limits.snapshotSecondsMax = seconds
            try await withNumbers(limits: limits) { store in
                let slices = SliceReader(store)
                #expect(try numbers(slices) == [0, 0])
                let text = String(repeating: "x", count: 100_000)
                for n in 0..<48 { _ = try await store.create(Document(id: "x\(n)", body: ["x": .string(text)])) }
                #expect(store.snapshotCount == (seconds == 0 ? 0 : 1))
            }
        }
    }

    @Test("A limited number of states is kept: further readers see present states, or take a slow reader's place")
    func manyReaders() async throws {
        for idleSeconds in [3_600.0, 0] {
            var limits = StoreLimits()
            limits.snapshotsKeptMax = 3
            limits.snapshotIdleSecondsMax = idleSeconds
            try await withNumbers(limits: limits) { store in
                let readers = (0..<4).map { _ in SliceReader(store) }
                for reader in readers { _ = try numbers(reader) }
                try await store.setNumbers(1)
                #expect(store.snapshotCount <= 3)
                // A snapshot that is asked for by name is not counted against others, and ends no other.
                let named = try await store.snapshot { snapshot in try snapshot.read { try $0.numbers() } }
                #expect(named == [1, 1])
                let last = try numbers(readers[3])
                #expect(last == (idleSeconds == 0 ? [0, 0] : [1, 1]))
                let first = try numbers(readers[0])
                #expect(first == (idleSeconds == 0 ? [1, 1] : [0, 0]))
            }
        }
    }

    @Test("A state that must end while it is read ends after this read, and nobody waits for it", .endsWhenHung)
    func endingWhileRead() async throws {
        try await withNumbers { store in
            let slices = SliceReader(store)
            #expect(try numbers(slices) == [0, 0])
            try await store.setNumbers(1)
            let read = try slices.read { table, _ in
                store.database.files.snapshots.end(.all, of: store.database)
                return try table.numbers()
            }
            #expect(read == [0, 0])
            #expect(store.snapshotCount == 0)
            #expect(try numbers(slices) == [1, 1])
        }
    }

    @Test("A reader that keeps no state sees the present one in each slice")
    func presentState() async throws {
        try await withNumbers { store in
            let slices = SliceReader(store, keepsState: false)
            for round in 0...2 {
                #expect(try numbers(slices) == [round, round])
                #expect(store.snapshotCount == 0)
                try await store.setNumbers(round + 1)
            }
        }
    }

    @Test("A database with an open snapshot is not quiet, so it is not released from memory", .endsWhenHung)
    func quiet() async throws {
        try await withNumbers { store in
            func becomesQuiet() async {
                repeat {
                    store.database.readers.closeIdle()
                    await Task.yield()
                } while !store.database.isQuiet
            }
            await becomesQuiet()
            try await store.snapshot { _ in #expect(!store.database.isQuiet) }
            await becomesQuiet()
        }
    }

    @Test("Closing ends the states of abandoned answers and does not wait for their readers", .endsWhenHung)
    func closing() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                try await store.setNumbers(0)
                let slices = SliceReader(store)
                #expect(try numbers(slices) == [0, 0])
                await store.database.close()
                await expectFailure(.closed) { _ = try numbers(slices) }
                #expect(store.snapshotCount == 0)
            }
        }
    }

    @Test("Readers on many threads, writes and short logs: each slice is one state, and no state goes back")
    func manyThreads() async throws {
        var limits = StoreLimits()
        limits.checkpointPages = 20
        limits.logBytesMax = 1 << 20
        limits.snapshotsKeptMax = 4
        limits.snapshotIdleSecondsMax = 0
        try await withNumbers(limits: limits) { store in
            let writing = Task {
                var round = 0
                while !Task.isCancelled {
                    round += 1
                    try await store.setNumbers(round)
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<(TestScale.isLong ? 400 : 40) {
                            let slices = SliceReader(store)
                            var seen = 0
                            for slice in 1...10 {
                                let numbers = try slices.read { table, isLast in
                                    isLast = slice == 10
                                    return try table.numbers()
                                }
                                #expect(numbers[0] == numbers[1] && numbers[0] >= seen)
                                seen = numbers[0]
                                await Task.yield()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            writing.cancel()
            try await writing.value
            #expect(store.snapshotCount == 0)
        }
    }

    /// Reads a slice that is not the last.
    private func numbers(_ slices: SliceReader) throws -> [Int] { try slices.read { table, _ in try table.numbers() } }

    /// Runs `body` with a datastore with two documents that always have the same number.
    private func withNumbers(
        limits: StoreLimits = .default, _ body: (Datastore) async throws -> Void
    ) async throws {
        try await withDatastore(limits: limits) { store in
            try await store.setNumbers(0)
            try await body(store)
        }
    }
}

extension Datastore {
    fileprivate var snapshotCount: Int { database.files.snapshots.count }

    fileprivate func setNumbers(_ number: Int) async throws {
        try await transact { transaction in
            for id in ["a", "b"] {
                var document = (try? transaction.document(id)) ?? Document(id: id, body: [:])
                document.body["n"] = .integer(Int64(number))
                _ = try document.revision == nil ? transaction.create(document) : transaction.update(document)
            }
        }
    }
}

extension DocumentTable {
    /// The numbers of the two documents, read one after the other.
    fileprivate func numbers() throws -> [Int] {
        try ["a", "b"].map { try document($0).body["n"]?.intValue ?? -1 }
    }
}
