//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Godwit
import GodwitCloudantCompat
import Testing

// Tests must not be deprecated, and uses of deprecated names warn outside of deprecated code. So the cases are in a deprecated extension,
// which the tests reach through a protocol.

/// The cases of ``CloudantCompatTests``.
private protocol CompatCases {
    func values() async throws
    func names() async throws
    func codes() async throws
    func lists() async throws
    func tasks() async throws
    func notifications() async throws
    func keys() async throws
}

@Suite("Cloudant Sync's names", .timeLimit(.minutes(5)))
struct CloudantCompatTests {
    private let cases = (Cases() as Any) as! any CompatCases

    @Test("Values keep their types") func values() async throws { try await cases.values() }

    @Test("Members with canonically equivalent names remain, also if others are changed")
    func names() async throws { try await cases.names() }

    @Test("Errors have the codes of Cloudant Sync") func codes() async throws { try await cases.codes() }

    @Test("Documents are listed in pages, without the indexes; queries have skip, limit, sort and fields") func lists()
        async throws
    { try await cases.lists() }

    @Test("Synchronous calls in all tasks at the same time do not wait for each other") func tasks() async throws {
        try await cases.tasks()
    }

    @Test("Changes are notified with their revision") func notifications() async throws {
        try await cases.notifications()
    }

    @Test("A key provider without a key creates no plain datastore; keys open what they encrypted") func keys()
        async throws
    { try await cases.keys() }
}

private struct Cases {}

@available(*, deprecated)
extension Cases: CompatCases {
    /// Runs a case with a datastore in a temporary directory.
    private func withDatastore(_ body: (CDTDatastore, CDTDatastoreManager) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-compat-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let manager = try CDTDatastoreManager(directory: path)
        defer { manager.close() }
        try await body(try manager.datastoreNamed("tests"), manager)
    }

    private func create(_ datastore: CDTDatastore, _ id: String?, _ body: [String: Any]) throws -> CDTDocumentRevision {
        let revision = CDTDocumentRevision(docId: id)
        revision.body = body
        return try datastore.createDocumentFromRevision(revision)
    }

    private func code(_ body: () throws -> Void) -> Int? {
        do {
            try body()
            return nil
        } catch {
            return (error as? CDTError)?.code
        }
    }

    func values() async throws {
        try await withDatastore { datastore, _ in
            let body: [String: Any] = [
                "t": true, "f": false, "one": 1, "zero": 0, "pi": 3.25, "s": "ü", "null": NSNull(),
                "n": NSNumber(value: 1), "b": NSNumber(value: true),
                "list": [1, "two", [3.5]] as [Any], "inner": ["a": ["b": true]],
            ]
            _ = try create(datastore, "a", body)
            let read = try datastore.getDocumentWithId("a").body
            #expect(read["t"] as? Bool == true && read["f"] as? Bool == false)
            #expect(read["one"] as? Int == 1 && read["zero"] as? Int == 0 && read["n"] as? Int == 1)
            #expect(read["n"] as? Bool == nil && read["b"] as? Bool == true)
            #expect(read["pi"] as? Double == 3.25 && read["s"] as? String == "ü" && read["null"] is NSNull)
            #expect((read["list"] as? [Any])?.count == 3)
            #expect(((read["inner"] as? [String: Any])?["a"] as? [String: Any])?["b"] as? Bool == true)
        }
    }

    func names() async throws {
        try await withDatastore { datastore, _ in
            let both: JSONObject = JSONObject([("e\u{301}", 1), ("\u{e9}", 2)])
            var body = both
            body["other"] = 0
            body["inner"] = .object(both)
            body["list"] = [.object(both), "x"]
            _ = try await datastore.store.create(Document(id: "a", body: body))
            let read: CDTMutableDocumentRevision = try datastore.getDocumentWithId("a").mutableCopy()
            #expect(read.body["\u{e9}"] as? Int == 1)
            read.body["other"] = 5
            try datastore.updateDocumentFromRevision(read)
            body["other"] = 5
            let saved = try datastore.store.document("a")
            #expect(saved.body == body && saved.body.count == 5)
            // Removing the visible name removes both.
            let again: CDTMutableDocumentRevision = try datastore.getDocumentWithId("a").mutableCopy()
            again.body["e\u{301}"] = nil
            try datastore.updateDocumentFromRevision(again)
            body["e\u{301}"] = nil
            body["\u{e9}"] = nil
            let last = try datastore.store.document("a")
            #expect(last.body == body && last.body.count == 3)
        }
    }

    func codes() async throws {
        try await withDatastore { datastore, _ in
            let first = try create(datastore, "a", ["n": 1])
            #expect(code { _ = try datastore.getDocumentWithId("none") } == 404)
            #expect(code { _ = try create(datastore, "a", [:]) } == 409)
            #expect(code { _ = try create(datastore, nil, ["_x": 1]) } == 400)
            #expect(code { _ = try create(datastore, nil, ["x": Double.infinity]) } == 493)
            #expect(code { _ = try create(datastore, nil, ["x": Date()]) } == 493)
            first.body["n"] = 2
            try datastore.updateDocumentFromRevision(first)
            #expect(code { try datastore.updateDocumentFromRevision(first) } == 409)
            #expect(code { try datastore.deleteDocumentFromRevision(first) } == 409)
            try datastore.deleteDocumentWithId("a")
            #expect(code { _ = try datastore.getDocumentWithId("a") } == 404)
            #expect(try create(datastore, "a", [:]).revId?.hasPrefix("4-") == true)
        }
    }

    func lists() async throws {
        try await withDatastore { datastore, _ in
            for number in 0..<450 { _ = try create(datastore, "d\(1_000 + number)", ["n": number]) }
            #expect(datastore.ensureIndexed(["n"], withName: "numbers") == "numbers")
            #expect(datastore.ensureIndexed(["n", "n"]) == nil)
            #expect(datastore.ensureIndexed(["other"], withName: "numbers") == nil)
            #expect(datastore.documentCount == 450 && datastore.getAllDocuments().count == 450)
            let page = datastore.getAllDocumentsOffset(2, limit: 3, descending: true).map(\.docId)
            #expect(page == ["d1447", "d1446", "d1445"])
            #expect(datastore.getDocumentsWithIds(["d1001", "none", "d1000"]).map(\.docId) == ["d1001", "d1000"])
            let sorted = datastore.find(["n": ["$gte": 0]], skip: 190, limit: 220, fields: ["n"], sort: [["n": "desc"]])
            #expect(sorted?.documentIds == (40..<260).reversed().map { "d\(1_000 + $0)" })
            sorted?.enumerateObjectsUsingBlock { revision, index, stop in
                #expect(!revision.isFullRevision && index == 0)
                #expect(code { try datastore.updateDocumentFromRevision(revision) } == 400)
                stop = true
            }
            #expect(datastore.find(["n": ["$nonsense": 1]]) == nil)
            #expect(datastore.deleteIndexNamed("numbers") && datastore.listIndexes().isEmpty)
        }
    }

    private struct Chooser: CDTConflictResolver {
        let choose: ([CDTDocumentRevision]) -> CDTDocumentRevision?

        func resolve(_ docId: String, conflicts: [CDTDocumentRevision]) -> CDTDocumentRevision? { choose(conflicts) }
    }

    func tasks() async throws {
        try await withDatastore { datastore, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<16 {
                    group.addTask {
                        for number in 0..<5 {
                            let revision = CDTDocumentRevision(docId: "\(task)-\(number)")
                            try datastore.createDocumentFromRevision(revision)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(datastore.documentCount == 80)
            #expect(datastore.getConflictedDocumentIds().isEmpty)
            try datastore.resolveConflictsForDocument("0-0", resolver: Chooser { $0.first })
        }
    }

    func notifications() async throws {
        try await withDatastore { datastore, _ in
            let (ids, continuation) = AsyncStream<String>.makeStream()
            let token = NotificationCenter.default.addObserver(
                forName: .CDTDatastoreChangeNotification, object: datastore, queue: nil
            ) { note in
                if let revision = note.userInfo?["rev"] as? CDTDocumentRevision {
                    continuation.yield(revision.docId ?? "")
                }
            }
            defer { NotificationCenter.default.removeObserver(token) }
            _ = try create(datastore, "seen", [:])
            #expect(await ids.first { _ in true } == "seen")
        }
    }

    func keys() async throws {
        try await withDatastore { _, manager in
            let key = Data((0..<32).map { UInt8($0) })
            let encrypted = try manager.datastoreNamed(
                "secret", withEncryptionKeyProvider: CDTEncryptionKeySimpleProvider(key: key))
            #expect(encrypted.store.isEncrypted)
            let short = CDTEncryptionKeySimpleProvider(key: Data([1, 2, 3]))
            #expect(code { _ = try manager.datastoreNamed("none", withEncryptionKeyProvider: short) } == 400)
            #expect(!manager.allDatastores().contains("none"))
            manager.closeDatastoreNamed("secret")
            #expect(code { _ = try manager.datastoreNamed("secret") } == 400)
            let other = CDTEncryptionKeySimpleProvider(key: Data(repeating: 9, count: 32))
            #expect(code { _ = try manager.datastoreNamed("secret", withEncryptionKeyProvider: other) } == 400)
            let plain = try manager.datastoreNamed(
                "plain", withEncryptionKeyProvider: CDTEncryptionKeyNilProvider())
            #expect(!plain.store.isEncrypted)
            try manager.deleteDatastoreNamed("plain")
            #expect(manager.allDatastores() == ["secret", "tests"])
        }
    }
}
