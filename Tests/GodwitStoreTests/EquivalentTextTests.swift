//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitStore

/// Tests of texts that Unicode treats as equal and the store does not: `é` as one scalar, and as `e` with an accent.
@Suite("Canonically equivalent texts")
struct EquivalentTextTests {
    private static let texts = ["\u{e9}", "e\u{301}"]

    @Test func changesOfEquivalentIDsAreBothKept() throws {
        let revision = try #require(RevisionID("1-a"))
        let changes = Self.texts.enumerated().map { index, id in
            let row = DocumentRow(
                sequence: Int64(index + 1), id: id, number: Int64(index + 1),
                winner: .init(revision: revision, isDeleted: false), body: [])
            return RecentChange(row: row, storedID: id, source: .local)
        }
        var recent = RecentChanges(start: 0)
        recent.add(changes, before: 0, after: 2)
        #expect(recent.after(0, rowsMax: 10)?.count == 2)
    }

    @Test func attachmentsOfEquivalentNamesAreBothKept() {
        var document = IncomingDocument(id: "a", revision: nil, isDeleted: false)
        for name in Self.texts {
            document.setAttachment(.inline(name: name, contentType: "t/x", bytes: [1], revisionPosition: nil))
        }
        #expect(document.attachments?.count == 2)
    }

    @Test func derivedValuesOfEquivalentDesignsAreSeparate() {
        let cache = DesignCache()
        for (index, id) in Self.texts.enumerated() {
            #expect(cache.made(of: "_design/\(id)", bytes: { _ in 1 }, make: { index }) == index)
        }
    }

    @Test func countersOfEquivalentOwnersAreSeparate() async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                let scopes = try Self.texts.map { try store.scoped(to: .owner($0)) }
                try await store.transact { transaction in
                    for scope in scopes {
                        let document = IncomingDocument(id: "_owner/\(scope.scope.owner ?? "")/a", revision: nil)
                        _ = try transaction.apply(document)
                    }
                }
                for scope in scopes { #expect(try scope.documentCount == 1) }
                #expect(try await store.check().isEmpty)
            }
        }
    }

    @Test func anOwnersRangeEndsAfterItsSlash() throws {
        #expect(try Scope.owner("a\u{600}").end == "_owner/a\u{600}0")
    }
}
