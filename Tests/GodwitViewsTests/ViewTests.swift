//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitViews
import Testing

struct ViewTests {
    @Test func rowsAreSortedAsCouchDBSortsThem() async throws {
        try await withDatastore { store in
            try await store.define(["v": ("function(doc) { emit(doc.k, doc.v) }", nil)])
            let keys: [JSONValue] = [
                ["a": 1], ["b", 1], ["b"], "b", "B", "a", 2, 10, true, false, .null, .string("ä"), [.null], [:],
            ]
            for (position, key) in keys.enumerated() {
                _ = try await store.create(
                    Document(id: "\(position)", body: ["k": key, "v": .integer(Int64(position))]))
            }
            let lines = try await store.lines("v")
            let shown = lines.map { $0.split(separator: " ")[1] }
            #expect(
                shown == [
                    "null", "false", "true", "2", "10", "\"a\"", "\"ä\"", "\"b\"", "\"B\"", "[null]", "[\"b\"]",
                    "[\"b\",1]", "{}", "{\"a\":1}",
                ])
            #expect(try await store.lines("v") { $0.descending = true } == lines.reversed())
        }
    }

    @Test func rangesKeysAndPages() async throws {
        try await withDatastore { store in
            try await store.define(["v": ("function(doc) { emit(doc.n, null) }", nil)])
            for number in 0..<20 {
                _ = try await store.create(
                    Document(id: "d\(number % 10)-\(number)", body: ["n": .integer(Int64(number % 10))]))
            }
            func ids(_ change: (inout ViewQuery) -> Void) async throws -> [String] {
                try await store.lines("v", change).map { String($0.split(separator: " ")[0]) }
            }
            #expect(try await ids { $0.key = 3 } == ["d3-13", "d3-3"])
            #expect(try await ids { $0.keys = [9, 1] } == ["d9-19", "d9-9", "d1-1", "d1-11"])
            #expect(try await ids { ($0.startKey, $0.endKey) = (3, 4) } == ["d3-13", "d3-3", "d4-14", "d4-4"])
            #expect(try await ids { ($0.startKey, $0.endKey, $0.inclusiveEnd) = (3, 4, false) } == ["d3-13", "d3-3"])
            #expect(
                try await ids { ($0.startKey, $0.endKey, $0.descending) = (4, 3, true) }
                    == ["d4-4", "d4-14", "d3-3", "d3-13"])
            #expect(
                try await ids { ($0.startKey, $0.startKeyDocumentID, $0.limit) = (3, "d3-3", 2) } == ["d3-3", "d4-14"])
            #expect(try await ids { ($0.endKey, $0.endKeyDocumentID, $0.skip) = (1, "d1-1", 1) } == ["d0-10", "d1-1"])
            #expect(
                try await ids { ($0.endKey, $0.endKeyDocumentID, $0.inclusiveEnd) = (1, "d1-11", false) }
                    == ["d0-0", "d0-10", "d1-1"])
            #expect(try await ids { ($0.skip, $0.limit, $0.descending) = (3, 2, true) } == ["d8-18", "d7-7"])
            await #expect(throws: ViewError.self) { try await store.lines("v") { ($0.startKey, $0.endKey) = (4, 3) } }
        }
    }

    @Test func reducesInGroupsAndAllAtOnce() async throws {
        try await withDatastore { store in
            let map = "function(doc) { emit([doc.a, doc.b], doc.n) }"
            try await store.define([
                "sum": (map, "_sum"), "count": (map, "_count"), "stats": (map, "_stats"),
                "js": (map, "function(keys, values, rereduce) { return sum(values) }"),
            ])
            for number in 0..<300 {
                let body: JSONObject = [
                    "a": .integer(Int64(number % 3)), "b": .integer(Int64(number % 5)), "n": .integer(Int64(number)),
                ]
                _ = try await store.create(Document(id: "\(number)", body: body))
            }
            for view in ["sum", "js"] {
                #expect(try await store.lines(view) == ["null 44850"])
                #expect(
                    try await store.lines(view) { $0.grouping = .level(1) } == ["[0] 14850", "[1] 14950", "[2] 15050"])
                #expect(try await store.lines(view) { $0.grouping = .exact }.count == 15)
                #expect(
                    try await store.lines(view) { ($0.grouping, $0.descending, $0.limit) = (.level(1), true, 1) }
                        == ["[2] 15050"])
            }
            #expect(try await store.lines("count") { ($0.startKey, $0.endKey) = ([1], [1, [:]]) } == ["null 100"])
            #expect(
                try await store.lines("count") {
                    $0.keys = [[1, 1], [0, 9]]; $0.grouping = .exact
                } == ["[1,1] 20"])
            #expect(
                try await store.lines("stats") == [
                    #"null {"sum":44850,"count":300,"min":0,"max":299,"sumsqr":8955050}"#
                ])
            #expect(try await store.lines("sum") { $0.key = [7, 7] } == [])
        }
    }

    @Test func changesDeletionsAndConflictsAreFollowed() async throws {
        try await withDatastore { store in
            try await store.define([
                "v": ("function(doc) { if (doc.n) emit(doc.n, doc._conflicts ? doc._conflicts.length : 0) }", "_sum")
            ])
            var document = try await store.create(Document(id: "a", body: ["n": 1]))
            _ = try await store.create(Document(id: "b", body: ["n": 2]))
            #expect(try await store.lines("v") { $0.reduce = false } == ["a 1 0", "b 2 0"])
            document.body["n"] = 3
            document = try await store.update(document)
            #expect(try await store.lines("v") { $0.reduce = false } == ["b 2 0", "a 3 0"])
            #expect(try await store.lines("v") { ($0.reduce, $0.update) = (false, .never) } == ["b 2 0", "a 3 0"])
            _ = try await store.delete(document)
            #expect(try await store.lines("v") { ($0.reduce, $0.update) = (false, .never) } == ["b 2 0", "a 3 0"])
            #expect(try await store.lines("v") { $0.reduce = false } == ["b 2 0"])
            try await store.define(["v": ("function(doc) { emit(doc.n * 10) }", nil)])
            #expect(try await store.lines("v") == ["b 20 null"])
        }
    }

    @Test func twoDesignDocumentsThatSayTheSameShareAnIndex() async throws {
        try await withDatastore { store in
            for design in ["_design/one", "_design/two"] {
                try await store.define(in: design, ["v": ("function(doc) { emit(1) }", nil)])
            }
            #expect(try store.indexDescriptions().count == 1)
            _ = try await store.delete(try store.document("_design/one"))
            try await store.removeUnwantedIndexes(of: ViewIndex.kindName)
            #expect(try store.indexDescriptions().count == 1)
            _ = try await store.delete(try store.document("_design/two"))
            try await store.removeUnwantedIndexes(of: ViewIndex.kindName)
            #expect(try store.indexDescriptions().isEmpty)
        }
    }

    @Test func anAppReadsRowsWithTheirDocuments() async throws {
        try await withDatastore { store in
            try await store.define([
                "v": ("function(doc) { if (doc.next) emit(doc._id, {_id: doc.next}) }", nil),
                "n": ("function(doc) { emit(doc.n, 1) }", "_count"),
            ])
            for (id, next) in [("a", "b"), ("b", "c"), ("c", "none")] {
                _ = try await store.create(Document(id: id, body: ["next": .string(next), "n": 1]))
            }
            var query = ViewQuery()
            query.includesDocuments = true
            var rows: [ViewRow] = []
            for try await row in store.rows(of: "d/v", query) { rows.append(row) }
            #expect(rows.map(\.id) == ["a", "b", "c"])
            #expect(rows.map { $0.document?.id } == ["b", "c", nil])
            var groups: [ViewRow] = []
            for try await row in store.rows(of: "d/n") { groups.append(row) }
            #expect(groups.map(\.value) == [3])
            await #expect(throws: ViewError.self) { for try await _ in store.rows(of: "d/none") {} }
            await #expect(throws: ViewError.self) { for try await _ in store.rows(of: "d") {} }
        }
    }
}
