//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitViews
import TestKit
import Testing

/// The validation function of the tests' databases.
private let guardian = """
    function (newDoc, oldDoc, userCtx, secObj) {
        if (newDoc.fail) throw new TypeError("failed");
        if (newDoc.loop) for (;;);
        if (newDoc.forbid) throw {forbidden: newDoc.forbid};
        if (newDoc.login) throw {unauthorized: "log in first"};
        if (newDoc._deleted) {
            if (oldDoc && oldDoc.kept) throw {forbidden: "kept for ever"};
            return;
        }
        if (oldDoc && oldDoc.owner !== newDoc.owner) throw {forbidden: "the owner stays"};
        if (newDoc._attachments && newDoc._attachments.bad) throw {forbidden: "bad attachment"};
        if (newDoc.told) throw {forbidden: JSON.stringify({old: oldDoc, user: userCtx, security: secObj})};
    }
    """

/// Runs `body` with a manager, opened as an app does, and one of its databases.
private func withApp(
    scripts: ScriptEngine = .inProcess(), isChecked: Bool = true,
    _ body: (DatastoreManager, Datastore) async throws -> Void
) async throws {
    let path = NSTemporaryDirectory() + "godwit-validation-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: path) }
    let manager = try DatastoreManager(directory: path, durability: .normal, key: testKey, scripts: scripts)
    do {
        let store = try await manager.datastore(named: "test")
        try await body(manager, store)
        if isChecked { #expect(try await store.check().isEmpty) }
    } catch {
        await manager.close()
        throw error
    }
    await manager.close()
}

extension Datastore {
    fileprivate func guarded(by function: String = guardian, name: String = "guard") async throws {
        _ = try await create(Document(id: "_design/\(name)", body: ["validate_doc_update": .string(function)]))
    }
}

/// Expects that a validation refuses the write of `body`.
private func expectRefusal(
    _ reason: String, _ word: String = "forbidden", code: StoreError.Code = .accessRefused,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
    let error = await #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try await body() }
    let cause = error?.cause as? ScriptError
    #expect(error?.code == code && cause?.error == word, "\(String(describing: error))", sourceLocation: sourceLocation)
    #expect(cause?.reason.contains(reason) == true, "\(String(describing: cause))", sourceLocation: sourceLocation)
}

@Suite("Validations of an app's own writes")
struct ValidationTests {
    @Test("Documents are created, changed and deleted as the validation lets them")
    func singleDocuments() async throws {
        try await withApp { _, store in
            try await store.guarded()
            var document = try await store.create(Document(id: "a", body: ["owner": 1]))
            await expectRefusal("no") { _ = try await store.create(Document(body: ["forbid": "no"])) }
            await expectRefusal("log in first", "unauthorized") {
                _ = try await store.create(Document(body: ["login": true]))
            }
            document.body = ["owner": 2]
            await expectRefusal("the owner stays") { _ = try await store.update(document) }
            document.body = ["owner": 1, "kept": true]
            document = try await store.update(document)
            await expectRefusal("kept for ever") { try await store.delete(document) }
            await expectRefusal("kept for ever") { try await store.delete("a") }
            #expect(try store.document("a").revision == document.revision && store.documentCount == 2)

            let other = try await store.create(Document(id: "b", body: [:]))
            try await store.delete(other)
            _ = try await store.create(Document(id: "b", body: ["owner": 3]))
            #expect(try await store.delete("b").count == 1)
        }
    }

    @Test("What a function throws by mistake refuses the document too, and tells so")
    func mistakes() async throws {
        try await withApp { _, store in
            try await store.guarded()
            await expectRefusal("failed", "TypeError", code: .validationFailed) {
                _ = try await store.create(Document(body: ["fail": true]))
            }
            try await store.guarded(by: "(", name: "broken")
            let error = await #expect(throws: StoreError.self) { _ = try await store.create(Document(body: [:])) }
            #expect(error?.code == .validationFailed)
            // Design documents are not validated, so that a broken one can be replaced.
            try await store.delete("_design/broken")
            _ = try await store.create(Document(body: [:]))
        }
    }

    @Test("Each of many documents has a separate outcome")
    func bulk() async throws {
        try await withApp { _, store in
            try await store.guarded()
            let first = try await store.create(Document(id: "first", body: ["kept": true]))
            var edits = (0..<250).map { number in
                DocumentEdit.create(Document(id: "n\(number)", body: number % 3 == 0 ? ["forbid": "x"] : [:]))
            }
            edits.append(.delete(first))
            edits.append(.create(Document(id: "first", body: [:])))
            let outcomes = try await store.writeEach(edits)
            for (number, outcome) in outcomes.prefix(250).enumerated() {
                switch outcome {
                case .success(let written): #expect(number % 3 != 0 && written.id == "n\(number)")
                case .failure(let error): #expect(number % 3 == 0 && error.code == .accessRefused)
                }
            }
            await expectRefusal("kept for ever") { _ = try outcomes[250].get() }
            let last = #expect(throws: StoreError.self) { try outcomes[251].get() }
            #expect(last?.code == .conflict)
            #expect(try store.documentCount == 2 + 250 - 84)
        }
    }

    @Test("Each edit of a write closure is validated, and one refusal undoes all of them")
    func closures() async throws {
        try await withApp { _, store in
            try await store.guarded()
            let document = try await store.create(Document(id: "a", body: ["owner": 1, "kept": true]))
            await expectRefusal("the owner stays") {
                try await store.write { transaction in
                    _ = try transaction.create(Document(id: "undone", body: [:]))
                    var document = try transaction.document("a")
                    document.body["owner"] = 2
                    _ = try transaction.update(document)
                }
            }
            await expectRefusal("kept for ever") { _ = try await store.write { try $0.delete(document) } }
            await expectRefusal("kept for ever") { _ = try await store.write { try $0.delete("a") } }
            #expect(try store.documentCount == 2)

            // The old document is the one of the same transaction. The transaction can continue after a refusal.
            try await store.write { transaction in
                var made = try transaction.create(Document(id: "b", body: ["owner": 1]))
                made.body["owner"] = 2
                #expect(throws: StoreError.self) { try transaction.update(made) }
                made.body["owner"] = 1
                made.body["km"] = 42
                _ = try transaction.update(made)
            }
            #expect(try store.document("b").body["km"] == 42)
        }
    }

    @Test("Attachments are seen, and one that is refused leaves the document as it was")
    func attachments() async throws {
        try await withApp { _, store in
            try await store.guarded()
            let text = Attachment.data(Array("hi".utf8), contentType: "text/plain")
            var document = try await store.create(Document(id: "a", body: [:], attachments: ["good": text]))
            document.attachments["bad"] = text
            await expectRefusal("bad attachment") { _ = try await store.update(document) }
            #expect(try store.document("a").attachments.keys.sorted() == ["good"])
            document.attachments["bad"] = nil
            document.body["told"] = true
            await expectRefusal("\"good\":{") { _ = try await store.update(document) }
        }
    }

    @Test("Conflicts are resolved only as the validation lets them")
    func conflicts() async throws {
        try await withApp { _, store in
            let document = try await store.create(Document(id: "a", body: ["owner": 1]))
            try await store.conflict(with: document, body: #"{"owner":1,"kept":true}"#)
            try await store.guarded()
            var winner = try store.document("a")
            winner.body["owner"] = 2
            await expectRefusal("the owner stays") { _ = try await store.resolve(winner) }
            let loses = try #require(try store.conflict(of: "a")?.leaves.first { $0.body["kept"] == nil })
            let kept = try #require(try store.conflict(of: "a")?.leaves.first { $0.body["kept"] == true })
            await expectRefusal("kept for ever") {
                try await store.resolveConflict(of: "a", by: ConflictResolver { _ in .keep(loses.revision!) })
            }
            await expectRefusal("kept for ever") { try await store.delete("a") }
            #expect(try store.leaves(of: "a").count == 2)
            try await store.resolveConflict(of: "a", by: ConflictResolver { _ in .keep(kept.revision!) })
            #expect(try store.leaves(of: "a") == [kept.revision!])
        }
    }

    @Test("A resolver that runs by itself is refused like any other writer, and tells of it")
    func automaticResolution() async throws {
        try await withApp { _, store in
            try await store.guarded()
            let told = AsyncStream.makeStream(of: String.self)
            try store.setConflictResolver(.keepWinner) { id, error in
                told.continuation.yield("\(id) \((error as? StoreError)?.code.description ?? "")")
            }
            let document = try await store.create(Document(id: "a", body: ["owner": 1, "kept": true]))
            try await store.conflict(with: document, body: #"{"owner":1,"kept":true}"#)
            #expect(await told.stream.first { _ in true } == "a accessRefused")
            #expect(try store.leaves(of: "a").count == 2)
        }
    }

    @Test("Writers of every kind beside each other and a view wait for one another, and not for ever")
    func together() async throws {
        try await withApp { _, store in
            try await store.guarded()
            try await store.define(["n": ("function (doc) { emit(doc.owner); }", "_count")])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let body: JSONObject = number % 4 == 3 ? ["forbid": "no"] : ["owner": 1]
                        let document = Document(id: "d\(number)", body: body)
                        switch number % 3 {
                        case 0: _ = try? await store.create(document)
                        case 1: _ = try? await store.write { try $0.create(document) }
                        default: _ = try await store.writeEach([.create(document)])
                        }
                        if number % 10 == 0 { _ = try await store.lines("n") }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try store.documentCount == 45 + 2)
            #expect(try await store.lines("n") == ["null 45"])
        }
    }

    @Test("A closed manager says so")
    func closed() async throws {
        try await withApp(isChecked: false) { manager, store in
            try await store.guarded()
            _ = try await store.create(Document(id: "a", body: [:]))
            await manager.close()
            for write in [
                { _ = try await store.create(Document(body: [:])) }, { _ = try await store.delete("a") },
                { _ = try await store.writeEach([.create(Document(body: [:]))]) },
                { _ = try await store.write { try $0.create(Document(body: [:])) } },
            ] as [@Sendable () async throws -> Void] {
                let error = await #expect(throws: StoreError.self) { try await write() }
                #expect(error?.code == .closed, "\(String(describing: error))")
            }
        }
    }

    @Test("All design documents count, from the write on that follows theirs")
    func severalDesigns() async throws {
        try await withApp { _, store in
            try await store.guarded()
            _ = try await store.create(Document(id: "a", body: ["second": true]))
            try await store.guarded(
                by: "function (doc) { if (doc.second) throw {forbidden: 'second'}; }", name: "second")
            await expectRefusal("second") { _ = try await store.create(Document(body: ["second": true])) }
            await expectRefusal("first") { _ = try await store.create(Document(body: ["forbid": "first"])) }
            var design = try store.document("_design/second")
            design.body["validate_doc_update"] = "function (doc) { if (doc.second) throw {forbidden: 'other'}; }"
            _ = try await store.update(design)
            await expectRefusal("other") { _ = try await store.create(Document(body: ["second": true])) }
            try await store.delete("_design/second")
            _ = try await store.create(Document(id: "b", body: ["second": true]))
        }
    }

    @Test("Functions are told who writes and the security object of the database")
    func context() async throws {
        try await withApp { manager, store in
            try await store.guarded()
            let asked = Document(body: ["told": true])
            await expectRefusal(#""user":{"db":"test","name":null,"roles":["_admin"]},"security":{}"#) {
                _ = try await store.create(asked)
            }
            manager.userContext = UserContext(name: "mia", roles: ["staff"])
            try await store.setSecurity(["colour": "red"])
            #expect(try store.security() == ["colour": "red"])
            let told = #""old":null,"user":{"db":"test","name":"mia","roles":["staff"]},"security":{"colour":"red"}"#
            await expectRefusal(told) { _ = try await store.create(asked) }
            await expectRefusal(told) { try await store.write { _ = try $0.create(asked) } }
        }
    }

    @Test("A selector validates without JavaScript")
    func selectors() async throws {
        // A program that does not exist: an attempt to start it would fail.
        let none = ScriptEngine.workers(ScriptWorkerProgram(path: "/nonexistent"))
        try await withApp(scripts: none) { _, store in
            let rule: JSONValue = [
                "newDoc": ["type": ["$in": ["post", "note"]]],
                "$or": [["oldDoc": ["$exists": false]], ["oldDoc": ["locked": false]]],
            ]
            _ = try await store.create(
                Document(id: "_design/types", body: ["language": "query", "validate_doc_update": rule]))
            let outcomes = try await store.writeEach([
                .create(Document(id: "a", body: ["type": "post", "locked": true])),
                .create(Document(id: "b", body: ["type": "other"])),
            ])
            #expect((try? outcomes[0].get()) != nil)
            await expectRefusal("document is not valid") { _ = try outcomes[1].get() }
            var document = try store.document("a")
            document.body["km"] = 42
            await expectRefusal("document is not valid") { _ = try await store.update(document) }
            // A validation function in another design document cannot be run.
            try await store.guarded()
            let error = await #expect(throws: StoreError.self) {
                _ = try await store.create(Document(body: ["type": "note"]))
            }
            #expect(error?.code == .validationFailed)
        }
    }

    @Test("A document over which a function runs for ever is refused alone")
    func loops() async throws {
        var limits = ScriptLimits()
        limits.callSecondsMax = 0.3
        try await withApp(scripts: .inProcess(limits: limits)) { _, store in
            try await store.guarded()
            let outcomes = try await store.writeEach([
                .create(Document(id: "a", body: [:])), .create(Document(id: "b", body: ["loop": true])),
                .create(Document(id: "c", body: [:])), .create(Document(id: "d", body: ["forbid": "no"])),
            ])
            #expect(outcomes.map { (try? $0.get()) != nil } == [true, false, true, false])
            await expectRefusal("ran longer", "timeout", code: .validationFailed) { _ = try outcomes[1].get() }
            await expectRefusal("no") { _ = try outcomes[3].get() }
            await expectRefusal("ran longer", "timeout", code: .validationFailed) {
                try await store.write { _ = try $0.create(Document(body: ["loop": true])) }
            }
            #expect(try store.documentCount == 3)
        }
    }

    @Test("A manager without JavaScript validates nothing")
    func without() async throws {
        let path = NSTemporaryDirectory() + "godwit-validation-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let manager = try DatastoreManager(directory: path, durability: .normal, key: testKey)
        let store = try await manager.datastore(named: "test")
        try await store.guarded()
        let rule: JSONValue = ["newDoc": ["type": "post"]]
        _ = try await store.create(
            Document(id: "_design/types", body: ["language": "query", "validate_doc_update": rule]))
        _ = try await store.create(Document(id: "a", body: ["forbid": "no"]))
        manager.userContext = UserContext(name: "mia")
        #expect(manager.userContext == .administrator)
        await manager.close()
    }
}

extension Datastore {
    /// Adds a second leaf to a document, as a replication would.
    fileprivate func conflict(with document: Document, body: String) async throws {
        var incoming = try IncomingDocument(parsing: Array(body.utf8), purpose: .replication, limits: limits)
        incoming.id = document.id
        incoming.revision = RevisionID("1-ffffffffffffffffffffffffffffffff")
        let side = incoming
        try await transact { _ = try $0.graft(side) }
    }
}
