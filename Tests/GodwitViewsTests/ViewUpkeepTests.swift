//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitViews
import TestKit
import Testing

@testable import GodwitStore

struct ViewUpkeepTests {
    private static let slowMap =
        "function(doc) { var until = Date.now() + 3; while (Date.now() < until) {} emit(doc._id) }"

    @Test func optionsOfADesignDocumentAndOfAView() async throws {
        try await withDatastore { store in
            let map = "function(doc) { emit(doc.k === undefined ? 'design' : doc.k, doc._local_seq ? 1 : 0) }"
            let keys: [JSONValue] = [["a"], "b", "B", 2, .null, true, ["k": 1], false]
            for (position, key) in keys.enumerated() {
                _ = try await store.create(Document(id: "\(position)", body: ["k": key]))
            }
            let options: JSONValue = ["include_design": true, "local_seq": true]
            let view: JSONValue = ["map": .string(map), "options": ["collation": "raw"]]
            _ = try await store.create(Document(id: "_design/d", body: ["views": ["v": view], "options": options]))
            let lines = try await store.lines("v")
            #expect(
                lines.map { $0.split(separator: " ").dropFirst().joined(separator: " ") } == [
                    "2 1", "false 1", "null 1", "true 1", "{\"k\":1} 1", "[\"a\"] 1", "\"B\" 1", "\"b\" 1",
                    "\"design\" 1",
                ])
        }
    }

    @Test(.endsWhenHung) func aDesignDocumentThatIsDeletedInTheMidstOfItsBuildEndsIt() async throws {
        try await withDatastore { store in
            for number in 0..<400 { _ = try await store.create(Document(id: "\(number)", body: [:])) }
            try await store.define(["v": (Self.slowMap, nil)])
            let query = Task { try await store.lines("v") }
            while store.indexProgress.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
            _ = try await store.delete(try store.document("_design/d"))
            try await store.removeUnwantedIndexes(of: ViewIndex.kindName)
            // The query completes its result, or fails because the index or the view is missing.
            if case .failure(let error) = await query.result {
                #expect((error as? StoreError)?.code == .indexNotFound || error is ViewError, "\(error)")
            }
            #expect(try store.indexDescriptions().isEmpty)
            await #expect(throws: ViewError.self) { try await store.lines("v") }
        }
    }

    @Test func aDesignDocumentThatChangesUnderAQueryLetsItEnd() async throws {
        try await withDatastore { store in
            for number in 0..<1_200 { _ = try await store.create(Document(id: "d\(number)", body: [:])) }
            try await store.define(["v": ("function(doc) { emit(1) }", nil)])
            var rows = store.rows(of: "d/v").makeAsyncIterator()
            var count = try await rows.next() == nil ? 0 : 1
            try await store.define(["v": ("function(doc) { emit(2) }", nil)])
            while let row = try await rows.next() {
                #expect(row.key == 1)
                count += 1
            }
            #expect(count == 1_200)
            #expect(try await store.lines("v") { $0.limit = 1 } == ["d0 2 null"])
        }
    }

    @Test func rowsAndGroupsAreOfOneStateWhenTheViewIsUpdatedBetweenTwoSlices() async throws {
        var limits = ViewLimits()
        limits.sliceRowsMax = 20
        limits.groupsPerSliceMax = 5
        try await withDatastore(limits: limits) { store in
            let count = 300
            for number in 0..<count {
                _ = try await store.create(Document(id: "d\(number)", body: ["n": .integer(Int64(number % 60))]))
            }
            try await store.define(["v": ("function(doc) { if (doc.n !== undefined) emit(doc.n, 1) }", "_sum")])
            for grouping in [ViewQuery.Grouping.exact, nil] {
                var query = ViewQuery()
                query.reduce = grouping != nil
                if let grouping { query.grouping = grouping }
                query.includesDocuments = grouping == nil
                var expected: [ViewRow] = []
                for try await row in store.rows(of: "d/v", query) { expected.append(row) }
                #expect(expected.count == (grouping == nil ? count : 60))
                var (seen, number): ([ViewRow], Int) = ([], 0)
                for try await row in store.rows(of: "d/v", query) {
                    seen.append(row)
                    number += 7
                    var document = try store.document("d\(number % count)")
                    document.body["n"] = .integer(Int64((number * 31) % 60))
                    _ = try await store.update(document)
                    if number % 5 == 0 { _ = try await store.lines("v") { $0.limit = 1 } }
                }
                #expect(
                    seen.map { "\($0.id ?? "") \($0.key) \($0.value) \($0.document?.body ?? [:])" }
                        == expected.map { "\($0.id ?? "") \($0.key) \($0.value) \($0.document?.body ?? [:])" })
            }
        }
    }

    @Test func aViewWithoutRowsKeepsNoState() async throws {
        try await withDatastore { store in
            _ = try await store.create(Document(id: "a", body: ["n": 1]))
            try await store.define(["v": ("function(doc) { if (doc.n !== undefined) emit(doc.n, 1) }", "_sum")])
            for reduces in [false, true] {
                var query = ViewQuery()
                query.reduce = reduces
                query.startKey = 2
                var rows = store.rows(of: "d/v", query).makeAsyncIterator()
                #expect(try await rows.next() == nil)
                #expect(store.database.files.snapshots.count == 0)
            }
        }
    }

    @Test func aDesignDocumentThatComesByReplicationIsFollowed() async throws {
        try await withDatastore { store in
            _ = try await store.create(Document(id: "a", body: ["n": 1]))
            let text = """
                {"_id":"_design/d","_rev":"3-abc","_revisions":{"start":3,"ids":["abc","abb","aba"]},
                "views":{"v":{"map":"function(doc) { emit(doc.n) }"}}}
                """
            let design = try IncomingDocument(parsing: Array(text.utf8), purpose: .replication, limits: store.limits)
            _ = try await store.writeEach([design], isReplicated: true)
            #expect(try await store.lines("v") == ["a 1 null"])
        }
    }

    @Test func aBuildThatFailsSaysWhyAndGoesOnWhenItCan() async throws {
        var limits = ScriptLimits()
        limits.callSecondsMax = 0.3
        try await withDatastore(.inProcess(limits: limits)) { store in
            for number in 0..<20 {
                _ = try await store.create(Document(id: "\(number)", body: ["n": .integer(Int64(number))]))
            }
            try await store.define(["v": ("function(doc) { if (doc.n == 13) for (;;) {} emit(doc.n) }", nil)])
            await #expect(throws: ScriptError.self) { try await store.lines("v") }
            var document = try store.document("13")
            document.body["n"] = 99
            _ = try await store.update(document)
            #expect(try await store.lines("v").count == 20)
        }
    }

    @Test(.endsWhenHung) func aBuildThatFailsOnAnOlderStateFailsNoLaterQuery() async throws {
        var limits = ScriptLimits()
        limits.callSecondsMax = 0.3
        // The first call of the function is held until the document it fails for has changed.
        let (started, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isFirst = Mutex(true)
        let engine = ScriptEngine.inProcess(limits: limits) { _ in
            guard isFirst.withLock({ flag in (flag, flag = false).0 }) else { return }
            started.signal()
            release.wait()
        }
        try await withDatastore(engine) { store in
            var document = try await store.create(Document(id: "a", body: ["isLoop": true]))
            try await store.define(["v": ("function(doc) { log(1); if (doc.isLoop) for (;;) {} emit(1) }", nil)])
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    started.wait()
                    continuation.resume()
                }
            }
            document.body["isLoop"] = false
            _ = try await store.update(document)
            let query = Task { try await store.lines("v") }
            try await Task.sleep(for: .milliseconds(100))
            release.signal()
            #expect(try await query.value == ["a 1 null"])
        }
    }

    @Test func aBuildThatFailedIsNotTriedAgainForOtherDesignDocuments() async throws {
        var limits = ScriptLimits()
        limits.callSecondsMax = 0.2
        let tries = Mutex(0)
        try await withDatastore(.inProcess(limits: limits) { _ in tries.withLock { $0 += 1 } }) { store in
            _ = try await store.create(Document(id: "a", body: [:]))
            func triesOnce(_ done: () async throws -> Void) async throws -> Bool {
                let before = tries.withLock { $0 }
                try await done()
                return tries.withLock { $0 } > before
            }
            func settle() async throws {
                repeat { try await Task.sleep(for: .milliseconds(50)) } while !store.indexProgress.isEmpty
            }
            func isAnyComplete() throws -> Bool { try store.indexDescriptions().contains { $0.state == .complete } }
            let endless = "function(doc) { log('tried'); for (;;) {} }"
            #expect(
                try await triesOnce {
                    try await store.define(["v": (endless, nil)])
                    while tries.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(10)) }
                    try await settle()
                })
            #expect(
                try await !triesOnce {
                    try await store.define(in: "_design/other", ["w": ("function(doc) { emit(1) }", nil)])
                    while try !isAnyComplete() { try await Task.sleep(for: .milliseconds(10)) }
                    try await settle()
                })
            #expect(try await triesOnce { await #expect(throws: ScriptError.self) { try await store.lines("v") } })
            #expect(
                try await triesOnce {
                    let before = tries.withLock { $0 }
                    try await store.define(["v": (endless + " ", nil)])
                    while tries.withLock({ $0 }) == before { try await Task.sleep(for: .milliseconds(10)) }
                    try await settle()
                })
        }
    }

    @Test func askingWhileOthersWriteGivesWhatWasThere() async throws {
        try await withDatastore { store in
            try await store.define(["v": ("function(doc) { emit(doc.n, 1) }", "_sum")])
            let writer = Task {
                for number in 0..<2_000 { _ = try await store.create(Document(body: ["n": .integer(Int64(number))])) }
            }
            var last = 0
            while last < 2_000 {
                let before = try store.info().documentCount - 1
                let lines = try await store.lines("v")
                let count = lines.first.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
                #expect(count >= max(before, last))
                last = count
                // A query of an up-to-date index returns without suspension: two such loops would occupy both threads
                // of a small machine.
                await Task.yield()
            }
            _ = try await writer.value
        }
    }
}
