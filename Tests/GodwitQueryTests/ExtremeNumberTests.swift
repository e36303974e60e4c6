//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import Foundation
import GodwitJSON
import GodwitQuery
import GodwitSQLite
import TestKit
import Testing

@testable import GodwitStore
@testable import GodwitText

@Suite("Extreme numbers in indexes and bookmarks")
struct ExtremeNumberTests {
    private static func position(_ documents: Int64, sequence: Int64 = 1, frequency: Int64 = 1) throws {
        var writer = ByteWriter()
        let words: [UInt64] = [
            UInt64(bitPattern: sequence), UInt64(bitPattern: documents), (1.0).bitPattern, (1.0).bitPattern, 1, 1,
            UInt64(bitPattern: frequency),
        ]
        for word in words { writer.append(bits: word) }
        _ = try TextPosition(bytes: writer.bytes)
    }

    @Test func negativeCountsOfABookmarkAreRefused() throws {
        try Self.position(1)
        #expect(throws: TextError.self) { try Self.position(.min) }
        #expect(throws: TextError.self) { try Self.position(1, sequence: -1) }
        #expect(throws: TextError.self) { try Self.position(1, frequency: -1) }
    }

    /// The number of a field of an index is a byte of its keys. The order of a query has no such limit.
    @Test func anOrderMayHaveMoreFieldsThanAnIndex() async throws {
        try await withDatastore { store in
            _ = try await store.create(Document(id: "a", body: ["list": [1, 2]]))
            let order = [QueryField](repeating: "list", count: 300)
            let found = try await store.find(FindQuery(selector: [:], sort: order))
            #expect(found.documents.count == 1)
        }
    }

    @Test func eachQuoteOfAPhraseIsDoubled() {
        let marked = "a\"\u{301} OR b"
        #expect(TextLexer.quoted(marked).utf8.elementsEqual("\"a\"\"\u{301} OR b\"".utf8))
    }

    /// Runs `body` with a new datastore, which is damaged afterwards.
    private func withDamage(_ body: (Datastore) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "godwit-query-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let manager = try DatastoreManager(directory: path, durability: .normal, limits: .default, key: testKey)
        do {
            try await body(try await manager.datastore(named: "test"))
        } catch {
            await manager.close()
            throw error
        }
        await manager.close()
    }

    @Test(arguments: ["-1", "64", "9223372036854775807"])
    func aColumnThatDoesNotExistIsDamage(column: String) async throws {
        try await withDamage { store in
            try await store.ensureTextIndex(named: "all")
            _ = try await store.create(Document(id: "a", body: ["t": "godwit"]))
            #expect(try await store.search("godwit").hits.count == 1)
            let index = try #require(try store.indexDescriptions().first { $0.kind == TextIndex.kindName })
            try await store.transact {
                try $0.connection.execute(
                    "INSERT INTO text_\(index.number)_fields(number, path) VALUES(\(column), 'other')")
            }
            await #expect(throws: (any Error).self) { try await store.search("other:godwit") }
        }
    }

    @Test(arguments: ["x''", "x'ff31'"])
    func storedValuesThatEndTooEarlyAreDamage(values: String) async throws {
        try await withDamage { store in
            try await store.ensureIndex(["n"], named: "n")
            _ = try await store.create(Document(id: "a", body: ["n": 12]))
            let query = FindQuery(selector: ["n": ["$gt": 1]], fields: ["_id", "n"])
            #expect(try await store.find(query).documents.count == 1)
            let index = try #require(try store.indexDescriptions().first { $0.kind == "json" })
            try await store.transact {
                try $0.connection.execute("UPDATE json_\(index.number) SET \"values\" = \(values)")
            }
            await #expect(throws: (any Error).self) { try await store.find(query) }
        }
    }
}
