//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitQuery
@testable import GodwitStore
@testable import GodwitText
@testable import GodwitViews

/// Random edits, deletions and purges, with searches between them.
@Suite("Upkeep of search indexes")
struct SearchIndexUpkeepTests {
    private static let words = ["ant", "bee", "cat", "dog", "eel", "fox"]
    private static let queries = ["*:*", "ant", "bee cat", "\"dog eel\"", "n:[2 TO 5]", "n:3", "f7:fox", "dog -cat"]

    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    @Test("An index that followed every change is the one that is built anew", arguments: 1...8)
    func incremental(seed: UInt64) async throws {
        var random = Random(state: seed)
        try await withDatastore { store in
            try await define("_design/old", note: "", in: store)
            for step in 0..<250 {
                try await change(store, &random)
                if step.isMultiple(of: 20) { _ = try await rows("ant", "_design/old", store) }
            }
            try await define("_design/new", note: " ", in: store)
            for query in Self.queries {
                let old = try await rows(query, "_design/old", store)
                let new = try await rows(query, "_design/new", store)
                #expect(old == new, "\(query), seed \(seed)")
            }
            let indexes = try store.indexDescriptions().filter { $0.kind == FieldIndex.kindName }
            #expect(indexes.count == 2 && indexes.allSatisfy { $0.state == .complete })
        }
    }

    private func define(_ design: String, note: String, in store: Datastore) async throws {
        let function = """
            function(doc) {\(note)
              if (doc.text) index("default", doc.text, {store: true});
              if (doc.n) index("n", doc.n, {store: true, facet: true});
              if (doc.text && doc.n) index("f" + doc.n, doc.text);
            }
            """
        let body: JSONObject = ["indexes": ["i": ["index": .string(function)]]]
        _ = try await store.create(Document(id: design, body: body))
    }

    private func change(_ store: Datastore, _ random: inout Random) async throws {
        let id = "d\(Int.random(in: 0..<40, using: &random))"
        let text = (0..<Int.random(in: 0..<6, using: &random)).map { _ in Self.words.randomElement(using: &random)! }
        var body: JSONObject = ["text": .string(text.joined(separator: " "))]
        let number = Int.random(in: 0..<90, using: &random)
        if number > 5 { body["n"] = .integer(Int64(number)) }
        let known = try? store.document(id)
        switch (Int.random(in: 0..<10, using: &random), known) {
        case (0, let known?): _ = try await store.delete(known)
        case (1, let known?): _ = try await store.purge(id, revisions: [known.revision!])
        case (_, var known?):
            known.body = body
            _ = try await store.update(known)
        case (_, nil): _ = try await store.create(Document(id: id, body: body))
        }
    }

    private func rows(_ text: String, _ design: String, _ store: Datastore) async throws -> [String] {
        var request = SearchRequest(text, design: design, index: "i")
        request.limit = 100
        var run = try await SearchRun(request, in: store)
        var rows: [String] = []
        while case let found = try run.next(), !found.isEmpty {
            rows += found.map { "\($0.id) \($0.score) \(JSONValue.object($0.fields).jsonText())" }
        }
        return rows.sorted()
    }
}
