//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitStore

/// Measures text search over the documents of ``QueryBenchmarks``.
struct WordBenchmarks {
    let count: Int

    private static let searches: [(String, JSONObject)] = [
        ("a word of 100", ["$text": "gull5"]),
        ("two words", ["$text": "gull5 tide1"]),
        ("two such words, either", ["$text": "gull5 OR tern8"]),
        ("a word of 1 100", ["$text": "dune7"]),
        ("a word of half of all", ["$text": "tide0"]),
        ("two frequent words", ["$text": "tide0 wave0"]),
        ("two frequent words, either", ["$text": "tide0 OR wave0"]),
        ("a frequent word without another", ["$text": "tide0 NOT wave0"]),
        ("three frequent words, two of them either", ["$text": "tide0 AND (wave0 OR wave1)"]),
        ("a prefix of 1 100", ["$text": "gull5*"]),
        ("a prefix of all", ["$text": "gu*"]),
        ("a frequent word and a range of 100 of an index", ["$text": "tide0", "km": ["$gte": 500, "$lt": 600]]),
        ("a word or a value of an index", ["$or": [["$text": "gull5"], ["route": 7]]]),
    ]

    func run(in store: Datastore) async throws {
        let time = try await seconds {
            try await store.ensureTextIndex(["note"], named: "words")
            for index in try store.indexDescriptions() { _ = try await store.catchUp(index) }
        }
        report("text index of one field", "\(text(Double(count) / time))/s")
        for (name, selector) in Self.searches {
            let one = try await perQuery(1) { _ in _ = try await store.find(FindQuery(selector: selector, limit: 25)) }
            let times = max(3, min(100, Int(1 / one)))
            let each = try await perQuery(times) { _ in
                _ = try await store.find(FindQuery(selector: selector, limit: 25))
            }
            report("$text, \(name)", "\(text(each * 1e3, 2)) ms")
        }
    }
}
