//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitStore

@Suite("Changes")
struct ChangesTests {
    /// Returns the next changes of an iterator: fewer than `count` if the feed ends.
    private func take(_ count: Int, _ iterator: inout Datastore.Changes.Iterator) async throws -> [Change] {
        var changes: [Change] = []
        while changes.count < count, let change = try await iterator.next() { changes.append(change) }
        return changes
    }

    @Test("Each document occurs once, at its last change, with all its leaves")
    func order() async throws {
        try await withDatastore { store in
            let a = try await store.create(Document(id: "a", body: [:]))
            _ = try await store.create(Document(id: "b", body: [:]))
            try await store.graft("c", "ba")
            _ = try await store.update(a)
            try await store.graft("c", "ca")
            try await store.delete(store.document("b"))
            var iterator = store.changes().makeAsyncIterator()
            let changes = try await take(3, &iterator)
            #expect(changes.map(\.id) == ["a", "c", "b"])
            #expect(changes.map(\.sequence.number) == [4, 5, 6])
            #expect(changes.map(\.isDeleted) == [false, false, true])
            #expect(changes[1].leaves.map(\.description) == ["2-c", "2-b"])
            #expect(changes[1].revision == changes[1].leaves[0])
            #expect(changes.allSatisfy { $0.sequence.epoch == store.identity.epoch })
        }
    }

    @Test("Slices keep their limits and resume without a gap or a repeat", arguments: 1...8)
    func slices(rowsMax: Int) async throws {
        try await withDatastore { store in
            for n in 0..<7 { try await store.save(#"{"_id":"\#(n)"}"#) }
            var (ids, sequence) = ([] as [String], Int64(0))
            while true {
                let slice = try store.changes(after: sequence, detail: .leaves, rowsMax: rowsMax)
                #expect(slice.rows.count <= rowsMax)
                #expect(slice.hasMore == (slice.rows.count + ids.count < 7))
                ids += slice.rows.map(\.id)
                sequence = slice.rows.last?.sequence ?? sequence
                #expect(try store.read { try $0.countChanges(after: sequence) } == 7 - ids.count)
                if !slice.hasMore { break }
            }
            #expect(ids == (0..<7).map(String.init))
        }
    }

    @Test("A slice ends at its limit of bytes, which counts rows and bodies, and has at least one row")
    func bytesMax() async throws {
        var limits = StoreLimits()
        limits.sliceBytesMax = 3 * StoreLimits.sliceRowBytes
        limits.sliceRowsMax = 4
        try await withDatastore(limits: limits) { store in
            for (n, count) in [500, 20, 20, 20, 20, 20].enumerated() {
                try await store.save(#"{"_id":"\#(n)","a":"\#(String(repeating: "x", count: count))"}"#)
            }
            func slice(_ after: Int64, _ detail: RowDetail) throws -> [Int64] {
                try store.changes(after: after, detail: detail).rows.map(\.sequence)
            }
            #expect(try slice(0, .bodies) == [1])
            #expect(try slice(1, .bodies) == [2, 3, 4])
            #expect(try slice(0, .leaves) == [1, 2, 3])
            #expect(try store.changes(after: 0, detail: .leaves).rows.allSatisfy { $0.body.isEmpty })
        }
    }

    @Test("A feed of many slices, resumed at every position")
    func resume() async throws {
        var limits = StoreLimits()
        limits.sliceRowsMax = 3
        try await withDatastore(limits: limits) { store in
            for n in 0..<10 { try await store.save(#"{"_id":"\#(n)"}"#) }
            var all = store.changes().makeAsyncIterator()
            let changes = try await take(10, &all)
            #expect(changes.map(\.id) == (0..<10).map(String.init))
            for (position, change) in changes.enumerated() {
                var rest = store.changes(since: change.sequence).makeAsyncIterator()
                #expect(try await take(9 - position, &rest).map(\.id) == (position + 1..<10).map(String.init))
            }
        }
    }

    @Test("A position of another database starts from the beginning, a bare number is accepted")
    func places() async throws {
        try await withDatastore { store in
            for n in 0..<3 { try await store.save(#"{"_id":"\#(n)"}"#) }
            let own = store.updateSequence
            #expect(UpdateSequence(own.description) == own)
            #expect(own.description == "3-\(store.identity.epoch)")
            #expect(store.start(of: own) == 3)
            #expect(store.start(of: UpdateSequence(number: 2, epoch: nil)) == 2)
            #expect(store.start(of: UpdateSequence(number: 2, epoch: "00000000")) == 0)
            var foreign = store.changes(since: UpdateSequence(number: 2, epoch: "other")).makeAsyncIterator()
            #expect(try await take(3, &foreign).map(\.id) == ["0", "1", "2"])
            var bare = store.changes(since: UpdateSequence(number: 2, epoch: nil)).makeAsyncIterator()
            #expect(try await bare.next()?.id == "2")
        }
    }

    @Test(
        "Positions as strings",
        arguments: [
            ("0", 0, nil), ("42", 42, nil), ("42-9f03a1c7", 42, "9f03a1c7"), ("7-a-b", 7, "a-b"),
            ("9223372036854775807", Int64.max, nil),
        ] as [(String, Int64, String?)])
    func placeTexts(text: String, number: Int64, epoch: String?) {
        #expect(UpdateSequence(text) == UpdateSequence(number: number, epoch: epoch))
        #expect(UpdateSequence(text)?.description == text)
    }

    @Test("Invalid positions", arguments: ["", "a", "-1", "-", "1.5", " 1", "9223372036854775808", "now"])
    func notPlaces(text: String) {
        #expect(UpdateSequence(text) == nil)
    }

    @Test("A live feed delivers new changes, and ends when the datastore closes")
    func live() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                let (seen, report) = AsyncStream.makeStream(of: String.self)
                let feed = Task {
                    for try await change in store.changes() { report.yield(change.id) }
                    report.finish()
                }
                var ids = seen.makeAsyncIterator()
                for n in 0..<20 {
                    try await store.save(#"{"_id":"\#(n)"}"#)
                    #expect(await ids.next() == "\(n)")
                }
                await manager.close()
                try await feed.value
                #expect(await ids.next() == nil)
            }
        }
    }

    @Test("A feed that is behind when the datastore closes ends without an error")
    func closedBetweenSlices() async throws {
        try await withDirectory { directory in
            var limits = StoreLimits()
            limits.sliceRowsMax = 1
            try await directory.withManager(limits: limits) { manager in
                let store = try await manager.datastore(named: "test")
                for n in 0..<3 { try await store.save(#"{"_id":"\#(n)"}"#) }
                var iterator = store.changes().makeAsyncIterator()
                #expect(try await iterator.next()?.id == "0")
                await manager.close()
                #expect(try await iterator.next() == nil)
            }
        }
    }

    @Test("A cancelled feed ends")
    func cancelled() async throws {
        try await withDatastore { store in
            let (started, report) = AsyncStream.makeStream(of: Void.self)
            let feed = Task {
                for try await _ in store.changes() { report.yield() }
                return Task.isCancelled
            }
            try await store.save(#"{"_id":"a"}"#)
            for await _ in started { break }
            feed.cancel()
            #expect(try await feed.value)
        }
    }
}
