//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import GodwitJSON
import GodwitStore
import Testing

@testable import GodwitQuery
@testable import GodwitText

@Suite("Cached choices of an index")
struct QueryChoiceTests {
    /// Runs a query to its end.
    private func run(
        _ selector: JSONObject, in store: Datastore
    ) async throws -> (ids: [String], statistics: QueryStatistics, isRemembered: Bool) {
        let run = try await QueryRun(PreparedQuery(FindQuery(selector: selector, limit: 10_000)), in: store)
        let isRemembered = !run.plan.remembered.isEmpty
        var ids: [String] = []
        while case let found = try await run.next(), !found.isEmpty { ids += try found.map { try $0.document().id! } }
        return (ids, run.statistics, isRemembered)
    }

    @Test("A choice that was good for one value is replaced if it is bad for another, with the same results")
    func varyingValues() async throws {
        try await withDatastore { store in
            try await store.write { transaction in
                for number in 0..<3_000 {
                    let body: JSONObject = [
                        "type": number == 7 ? "rare" : "common", "km": number < 2_900 ? 5 : .integer(Int64(number)),
                    ]
                    _ = try transaction.create(Document(id: "d\(10_000 + number)", body: body))
                }
            }
            try await store.ensureIndex(["type"], named: "type")
            try await store.ensureIndex(["km"], named: "km")
            try await store.catchUpAll()
            let first = try await run(["type": "rare", "km": 5], in: store)
            #expect(first.ids == ["d10007"] && !first.isRemembered && first.statistics.keysExamined == 1)
            let again = try await run(["type": "rare", "km": 6], in: store)
            #expect(again.ids.isEmpty && again.isRemembered)
            // 2 999 documents have this type, one has this length.
            let other = try await run(["type": "common", "km": 2_950], in: store)
            #expect(other.ids == ["d12950"] && other.isRemembered && other.statistics.keysExamined == 1)
            let after = try await run(["type": "common", "km": 2_951], in: store)
            #expect(after.ids == ["d12951"] && !after.isRemembered && after.statistics.keysExamined == 1)
        }
    }

    @Test("A choice is dropped when the set of indexes changes")
    func changedIndexes() async throws {
        try await withDatastore { store in
            for number in 0..<20 {
                _ = try await store.create(
                    Document(id: "d\(10 + number)", body: ["a": 1, "b": .integer(Int64(number))]))
            }
            try await store.ensureIndex(["a"], named: "a")
            try await store.ensureIndex(["b"], named: "b")
            try await store.catchUpAll()
            for _ in 0..<2 {
                let found = try await run(["a": 1, "b": 3], in: store)
                #expect(found.ids == ["d13"] && found.statistics.keysExamined == 1)
            }
            try await store.deleteIndex("b")
            let found = try await run(["a": 1, "b": 3], in: store)
            #expect(found.ids == ["d13"] && found.statistics.keysExamined == 20)
        }
    }

    @Test(
        "Documents from rows equal documents that are read individually: attachments, revisions of other stores, owners"
    )
    func wholeDocuments() async throws {
        try await withDatastore { all in
            try await all.ensureIndex(["t"], named: "t")
            try await all.catchUpAll()
            for scope in [Scope.all, try Scope.owner("ann")] {
                let store = all.scoped(to: scope)
                let file = try await store.create(
                    Document(
                        id: "file", body: ["t": 1],
                        attachments: ["a.txt": .data(Array("x".utf8), contentType: "text/plain")]))
                _ = try await store.create(
                    Document(id: "empty \"quoted\"", body: ["t": 1, "deep": ["x": [1.5, .null]]]))
                let foreign = try IncomingDocument(
                    parsing: Array(#"{"_id":"foreign","_rev":"200-abc","t":1}"#.utf8), purpose: .replication,
                    limits: .default)
                _ = try await store.writeEach([foreign], isReplicated: true)
                let page = try await store.find(FindQuery(selector: ["t": 1]))
                #expect(page.documents.map(\.id) == ["empty \"quoted\"", "file", "foreign"])
                #expect(page.documents[1].attachments["a.txt"]?.length == file.attachments["a.txt"]?.length)
                for document in page.documents {
                    let read = try store.document(document.id!)
                    #expect(document.revision == read.revision && document.body == read.body)
                }
                let run = try await QueryRun(PreparedQuery(FindQuery(selector: ["t": 1])), in: store)
                var text = DocumentText(Array("[".utf8))
                while try await run.appendNext(to: &text, separator: ",", bytesMax: 1) > 0 {}
                let values = try JSONValue(parsing: text.bytes + Array("]".utf8)).arrayValue ?? []
                #expect(values.map { $0["_id"]?.stringValue } == page.documents.map(\.id))
                #expect(values.map { $0["_rev"]?.stringValue } == page.documents.map { $0.revision?.description })
                #expect(values[1]["_attachments"]?["a.txt"]?["stub"] == true)
                #expect(values[0]["deep"] == ["x": [1.5, .null]])
            }
        }
    }
}
