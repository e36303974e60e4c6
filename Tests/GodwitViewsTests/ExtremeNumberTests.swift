//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitQuery
import GodwitSQLite
import Testing

@testable import GodwitStore
@testable import GodwitViews

@Suite("Extreme numbers in views")
struct ExtremeNumberTests {
    @Test func statsOfExtremeCountsSaturate() throws {
        var stats = StatsReduce()
        let text = Array(#"{"sum":1,"count":9000000000000000000,"min":1,"max":1,"sumsqr":1}"#.utf8)
        for _ in 0..<2 { try stats.add(reduction: text) }
        let result = try JSONValue(parsing: stats.result)
        #expect(result["count"]?.doubleValue == 1.8e19)
        #expect(result["sum"] == 2)
    }

    @Test(arguments: ["1e308", "-1e308", "9223372036854775807", String(repeating: "9", count: 400)])
    func sumsBeyondTheNumbersAreRead(number: String) throws {
        var sum = SumReduce()
        var stats = StatsReduce()
        for _ in 0..<4 {
            // A later reduction reads what an earlier one wrote.
            sum.add(reduction: Array(number.utf8))
            try stats.add(reduction: Array(number.utf8))
            sum.add(reduction: sum.reduction)
            try stats.add(reduction: stats.reduction)
        }
        #expect(try JSONValue(parsing: sum.result).doubleValue?.isFinite == true)
        let result = try JSONValue(parsing: stats.result)
        for name in ["sum", "sumsqr", "min", "max"] {
            #expect(result[name]?.isNull == false && result[name]?.stringValue == nil, "\(name)")
        }
    }

    @Test func countsOfExtremeCountsSaturate() throws {
        var count = CountReduce()
        for _ in 0..<2 { count.add(reduction: Array("9223372036854775807".utf8)) }
        #expect(count.result == Array("9223372036854775807".utf8))
        for _ in 0..<3 { count.add(reduction: Array("-9223372036854775808".utf8)) }
        #expect(count.result == Array("-9223372036854775808".utf8))
    }

    @Test func registersThatDoNotExistAreIgnored() throws {
        var distinct = DistinctReduce()
        distinct.add(reduction: [0xFF, 0xFF, 20, 0x00, 0x01, 0xFF])
        #expect(distinct.result == Array("0".utf8))
        distinct.add(reduction: [0x00, 0x01, 54])
        #expect(distinct.result == Array("1".utf8))
    }

    @Test func failuresWithoutWordsAreFailures() throws {
        #expect(Reduction.failure(in: [0xFF, UInt8(ascii: "!")])?.error == "")
        #expect(Reduction.failure(in: [0xFF, UInt8(ascii: "!"), UInt8(ascii: "\n")])?.error == "")
    }

    @Test(arguments: [-1, 4, Int.max, Int.min])
    func entriesWhoseIDIsElsewhereAreDamaged(idStart: Int) throws {
        #expect(ViewEntry(storedBytes: [0, 0, 1, 65, 0, 0, 0], idStart: idStart) == nil)
    }

    @Test func entriesAreReadFromTheirBytes() throws {
        let entry = try #require(ViewEntry(storedBytes: [0, 0, 1, 65, 0, 0, 0, 0], idStart: 3))
        #expect(entry.id == "A")
    }

    @Test func aGroupHasAMaximumOfViews() {
        var members = JSONObject()
        for number in 0...ViewGroup.viewsMax { members["v\(number)"] = ["map": "function(doc) {}"] }
        #expect(ViewGroup(design: ["views": .object(members)]) == nil)
        #expect(ViewEntry.prefix(view: ViewGroup.viewsMax - 1) == [0xFF, 0xFE])
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "-1"])
    func spansOfExtremeCountsAreRead(count: String) async throws {
        try await withDatastore { store in
            try await store.define(["v": ("function(doc) { emit(doc.n, 1) }", "_count")])
            for number in 0..<20 {
                _ = try await store.create(Document(id: "d\(number)", body: ["n": .integer(Int64(number))]))
            }
            #expect(try await store.lines("v") == ["null 20"])
            let index = try #require(try store.indexDescriptions().first { $0.kind == ViewIndex.kindName })
            try await store.transact {
                try $0.connection.execute("UPDATE \(ViewTables(index).spans) SET count = \(count)")
            }
            #expect(try await store.lines("v") == ["null 20"])
            let lines = try await store.lines("v") { ($0.reduce, $0.skip) = (false, 1) }
            #expect(lines.count == 19)
        }
    }

    @Test func spansOfABackupAreNotTrusted() async throws {
        try await withManager { manager in
            let store = try await manager.datastore(named: "test")
            try await store.define([
                "n": ("function(doc) { emit(doc.n, 1) }", "_count"),
                "s": ("function(doc) { emit(doc.n, doc.n) }", "function(k, v, r) { return sum(v) }"),
            ])
            for number in 0..<200 {
                _ = try await store.create(Document(id: "d\(number)", body: ["n": .integer(Int64(number))]))
            }
            #expect(try await store.lines("n") == ["null 200"])
            let index = try #require(try store.indexDescriptions().first { $0.kind == ViewIndex.kindName })
            try await store.transact {
                try $0.connection.execute("UPDATE \(ViewTables(index).spans) SET count = 7, reduction = '[7]'")
            }
            let path = NSTemporaryDirectory() + "godwit-copy-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: path) }
            try await store.backup(to: path)
            try await manager.restore(from: path, named: "restored")
            let restored = try await manager.datastore(named: "restored")
            #expect(try await restored.lines("n") == ["null 200"])
            #expect(try await restored.lines("s") == ["null 19900"])
            let copy = try #require(try restored.indexDescriptions().first { $0.kind == ViewIndex.kindName })
            #expect(copy.state == .complete)
            #expect(try restored.readTogether { try SpanCheck(copy, on: $0.connection).faults() } == [])
        }
    }
}
