//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import Testing

/// Texts that are canonically equivalent, and have other bytes: ids, names and members keep them apart.
struct EquivalentNameTests {
    /// Pairs of canonically equivalent texts.
    static let pairs = [
        ("\u{e9}", "e\u{301}"), ("\u{212a}", "K"), ("\u{1e9b}\u{323}", "\u{17f}\u{323}\u{307}"),
        ("\u{ac00}", "\u{1100}\u{1161}"),
        ("a\u{323}\u{307}", "a\u{307}\u{323}"), ("\u{2126}", "\u{3a9}"),
    ]

    @Test(arguments: pairs)
    func documentsAndAttachmentsKeepApart(_ one: String, _ other: String) async throws {
        #expect(one == other, "Swift must take the pair for equal")
        try await withDatastore { store in try await check(one, other, in: store) }
    }

    private func check(_ one: String, _ other: String, in store: Datastore) async throws {
        let first = try await store.create(Document(id: one, body: ["text": "one"]))
        let second = try await store.create(Document(id: other, body: ["text": "other"]))
        #expect(first.revision != nil && second.revision != nil)
        #expect(try store.document(one).body["text"] == "one")
        #expect(try store.document(other).body["text"] == "other")

        var document = Document(id: "photos", body: [:])
        document.attachments[one] = .data(Array("one".utf8), contentType: "text/plain")
        document.attachments[other] = .data(Array("other".utf8), contentType: "text/plain")
        #expect(document.attachments.count == 2)
        // A document that is read, changed and saved keeps both.
        var saved = try await store.create(document)
        saved.body["changed"] = true
        saved = try await store.update(saved)
        #expect(saved.attachments.count == 2)
        #expect([saved.attachments[one]?.length, saved.attachments[other]?.length] == [3, 5])
        saved.attachments[one] = nil
        saved = try await store.update(saved)
        #expect(saved.attachments.keys.map { Array($0.utf8) } == [Array(other.utf8)])
    }

    @Test func tableOfAttachments() {
        var table: Attachments = [
            "b": .data([2], contentType: "b/b"), "a": .data([1], contentType: "a/a"),
            "b": .data([3], contentType: "c/c"),
        ]
        #expect(table.keys == ["a", "b"])
        #expect(table["b"]?.contentType == "c/c")
        #expect(table["c"] == nil)
        #expect(table.removeValue(forKey: "c") == nil)
        #expect(table.removeValue(forKey: "a")?.contentType == "a/a")
        table["b"] = nil
        #expect(table.isEmpty)
    }
}
