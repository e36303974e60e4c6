//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitText
import TestKit
import Testing

@Suite("Pages of text hits")
struct TextPagingTests {
    private func body(_ numbers: inout SeededGenerator) -> JSONValue {
        let words = (0..<Int.random(in: 1...8, using: &numbers)).map { _ in
            ["red", "red", "fox", "hen", "owl"].randomElement(using: &numbers)!
        }
        return ["t": .string(words.joined(separator: " ")), "n": .integer(Int64.random(in: 0...9, using: &numbers))]
    }

    @Test("Pages of any length give the same order: by score, then by arrival")
    func order() async throws {
        var numbers = SeededGenerator(seed: 7)
        let documents = (0..<150).map { ("d\($0)", body(&numbers)) }.shuffled(using: &numbers)
        try await withTextStore(documents: documents) { store in
            for query in ["red", "red OR owl", "red fox", "*:*", "red n:[2 TO 7]", "-red"] {
                let whole = try store.search(query) { try $0.page(limit: 1_000) }.hits
                #expect(whole.map(\.score) == whole.map(\.score).sorted(by: >))
                for (left, right) in zip(whole, whole.dropFirst()) where left.score == right.score {
                    #expect(left.number < right.number)
                }
                for limit in [1, 7, 50, 149, 150, 1_000] {
                    #expect(try store.ranked(query, by: limit) == whole.map(\.storedID), "\(query) by \(limit)")
                }
            }
        }
    }

    @Test("More occurrences in a shorter text rank higher, and rare words higher than frequent ones")
    func ranking() async throws {
        let documents: [(String, JSONValue)] = [
            ("long", ["t": "fox and much more text than in the others around"]), ("short", ["t": "fox"]),
            ("twice", ["t": "fox fox"]), ("hen", ["t": "hen bird"]), ("crow", ["t": "fox bird"]),
        ]
        try await withTextStore(documents: documents) { store in
            let foxes = try store.ranked("fox")
            #expect(foxes == ["twice", "short", "crow", "long"])
            let best = try store.ranked("hen OR fox").first
            #expect(best == "hen")
        }
    }

    @Test("During writes no document comes twice, and none that stays is missed", arguments: 0..<24)
    func underWrites(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let documents = (0..<120).map { ("d\($0)", body(&numbers)) }
        try await withTextStore(documents: documents) { store in
            let query = ["red", "red OR hen", "red fox", "fox n:[0 TO 8]", "*:*", "-owl"][Int(seed % 6)]
            var stayed = Set(try store.ids(query))
            var (found, position): ([String], TextPosition?) = ([], nil)
            while true {
                let page = try store.search(query) { try $0.page(after: position, limit: 7) }
                found += page.hits.map(\.storedID)
                guard let last = page.hits.last else { break }
                position = try TextPosition(bytes: page.position(after: last).bytes)
                for _ in 0..<Int.random(in: 0...12, using: &numbers) {
                    if let gone = try await write(to: store, &numbers) { stayed.remove(gone) }
                }
                stayed.formIntersection(try store.ids(query))
            }
            #expect(Set(found).count == found.count, "some came twice")
            #expect(stayed.subtracting(found).isEmpty, "some were missed")
        }
    }

    /// Performs a random write.
    ///
    /// - Returns: The id of a document that was deleted; it may be created again later.
    private func write(to store: TextStore, _ numbers: inout SeededGenerator) async throws -> String? {
        let id = "d\(Int.random(in: 0..<140, using: &numbers))"
        let isThere = (try? store.store.document(id)) != nil
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0 where isThere:
            try await store.delete(id)
            return id
        case 1 where isThere:
            _ = try await store.store.purge(id)
            return id
        case _ where isThere: try await store.edit(id, body(&numbers))
        default: try await store.add([(id, body(&numbers))])
        }
        return nil
    }

    @Test("Bytes that are not a position are refused")
    func badPlaces() throws {
        for bytes in [[], [1], [UInt8](repeating: 0xFF, count: 40), [UInt8](repeating: 0, count: 20_000)] as [[UInt8]] {
            #expect(throws: TextError.self) { try TextPosition(bytes: bytes) }
        }
    }

    @Test("The position of a query with other words is refused or harmless")
    func foreignPlaces() async throws {
        try await withTextStore(documents: (0..<9).map { ("d\($0)", ["t": "red fox"]) }) { store in
            let page = try store.search("red fox") { try $0.page(limit: 2) }
            let position = page.position(after: page.hits[1])
            #expect(throws: TextError.self) { try store.search("red") { try $0.page(after: position, limit: 2) } }
        }
    }
}
