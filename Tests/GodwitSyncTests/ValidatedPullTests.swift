//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import GodwitViews
import TestKit
import Testing

private let guardian = """
    function (newDoc, oldDoc) {
        if (newDoc.loop) for (;;);
        if (newDoc.fail) throw new TypeError("failed");
        if (newDoc.login) throw {unauthorized: "log in first"};
        if (newDoc.forbid) throw {forbidden: newDoc.forbid};
        if (newDoc._deleted && oldDoc && oldDoc.kept) throw {forbidden: "kept for ever"};
    }
    """

private let guardDocument = Document(id: "_design/guard", body: ["validate_doc_update": .string(guardian)])

/// The source of a pull: a database of this process, or one behind a server.
private enum Origin: String, CaseIterable, Sendable { case local, remote }

/// Runs `body` with a source and its endpoint, and a target with the settings of an app.
private func withPhone(
    _ origin: Origin, scripts: ScriptEngine = .inProcess(),
    _ body: @escaping @Sendable (_ source: Datastore, any DatabaseEndpoint, _ phone: Datastore) async throws -> Void
) async throws {
    let path = NSTemporaryDirectory() + "godwit-phone-" + UUID().uuidString
    let manager = try DatastoreManager(directory: path, durability: .normal, scripts: scripts)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let phone = try await manager.datastore(named: "phone")
    do {
        try await withManager { others in
            let source = try await others.datastore(named: "source")
            if origin == .local { return try await body(source, LocalEndpoint(source), phone) }
            try await withServer(of: others) { address in
                let remote = RemoteEndpoint(
                    try RemoteURL("\(address)/source"), credentials: .basic(user: "admin", password: "secret"))
                try await body(source, remote, phone)
            }
        }
    } catch {
        await manager.close()
        throw error
    }
    await manager.close()
}

private func pull(
    _ source: any DatabaseEndpoint, into phone: Datastore, limits: ReplicationLimits = ReplicationLimits()
) async throws -> ReplicationReport {
    try await Replicator(from: source, to: LocalEndpoint(phone), limits: limits).run()
}

@Suite("Validated pulls", .endsWhenHung)
struct ValidatedPullTests {
    @Test("Refused documents are reported, and the others are written", arguments: Origin.allCases)
    fileprivate func refused(_ origin: Origin) async throws {
        try await withPhone(origin) { source, endpoint, phone in
            _ = try await phone.create(guardDocument)
            for number in 0..<20 {
                let body: JSONObject = number % 2 == 0 ? [:] : ["forbid": "odd"]
                _ = try await source.create(Document(id: "d\(number)", body: body))
            }
            _ = try await source.create(Document(id: "e", body: ["login": true]))
            _ = try await source.create(Document(id: "f", body: ["fail": true]))
            let report = try await pull(endpoint, into: phone)
            #expect(report.counts.documentsWritten == 10 && report.counts.writeFailures == 12)
            #expect(try phone.documentCount == 11 && phone.documents(["d1", "e", "f"]).allSatisfy { $0 == nil })
            let failures = Dictionary(report.failures.map { ($0.id, $0) }) { first, _ in first }
            let failure = try #require(failures["d1"])
            #expect(failure.status == 403 && failure.error == "forbidden" && failure.reason == "odd")
            #expect(failures["e"]?.status == 401 && failures["e"]?.error == "unauthorized")
            #expect(failures["f"]?.error == "TypeError" && failures["f"]?.reason.contains("failed") == true)
            // The checkpoint is after all of them. The next pull tries only the refused ones again.
            let next = try await pull(endpoint, into: phone)
            #expect(next.counts.missingChecked == 12 && next.counts.documentsWritten == 0)
            #expect(Set(next.failures.map(\.id)) == Set(failures.keys))
        }
    }

    @Test("Deletions and large attachments are validated too", arguments: Origin.allCases)
    fileprivate func others(_ origin: Origin) async throws {
        try await withPhone(origin) { source, endpoint, phone in
            let kept = try await source.create(Document(id: "kept", body: ["kept": true]))
            _ = try await pull(endpoint, into: phone)
            _ = try await phone.create(guardDocument)
            try await source.delete(kept)
            let photo = Attachment.data([UInt8](repeating: 7, count: 200_000), contentType: "image/jpeg")
            _ = try await source.create(Document(id: "bad", body: ["forbid": "no"], attachments: ["p": photo]))
            _ = try await source.create(Document(id: "good", body: [:], attachments: ["p": photo]))
            let report = try await pull(endpoint, into: phone)
            #expect(report.failures.map(\.reason).sorted() == ["kept for ever", "no"])
            #expect(report.failures.allSatisfy { $0.status == 403 })
            #expect(try phone.document("kept").body["kept"] == true)
            #expect(try phone.documents(["bad"])[0] == nil)
            #expect(try phone.document("good").attachments["p"]?.length == 200_000)
        }
    }

    @Test("A design document takes effect from the batch after its own", arguments: Origin.allCases)
    fileprivate func arriving(_ origin: Origin) async throws {
        try await withPhone(origin) { source, endpoint, phone in
            var limits = ReplicationLimits()
            (limits.changesPerPageMax, limits.pagesInFlightMax, limits.writesInFlightMax) = (1, 1, 1)
            _ = try await source.create(Document(id: "before", body: ["forbid": "no"]))
            _ = try await source.create(guardDocument)
            _ = try await source.graft(#"{"_id":"after","_rev":"1-a","forbid":"no"}"#)
            let report = try await pull(endpoint, into: phone, limits: limits)
            #expect(report.failures.map(\.id) == ["after"] && report.counts.documentsWritten == 2)
            // The app's own writes are validated with the replicated functions.
            let error = await #expect(throws: StoreError.self) {
                _ = try await phone.create(Document(body: ["forbid": "no"]))
            }
            #expect(error?.code == .accessRefused)
        }
    }

    @Test("A selector validates pulled documents", arguments: Origin.allCases)
    fileprivate func selector(_ origin: Origin) async throws {
        try await withPhone(origin) { source, endpoint, phone in
            let rule: JSONValue = ["newDoc": ["type": "post"]]
            _ = try await phone.create(
                Document(id: "_design/types", body: ["language": "query", "validate_doc_update": rule]))
            _ = try await source.create(Document(id: "a", body: ["type": "post"]))
            _ = try await source.create(Document(id: "b", body: ["type": "other"]))
            let report = try await pull(endpoint, into: phone)
            #expect(report.failures.map(\.id) == ["b"] && report.failures.first?.reason == "document is not valid")
            #expect(try phone.document("a").body["type"] == "post")
        }
    }

    @Test("A function that never ends for one document delays no other", arguments: Origin.allCases)
    fileprivate func loops(_ origin: Origin) async throws {
        var limits = ScriptLimits()
        limits.callSecondsMax = 0.3
        try await withPhone(origin, scripts: .inProcess(limits: limits)) { source, endpoint, phone in
            _ = try await phone.create(guardDocument)
            for number in 0..<5 {
                let body: JSONObject = number == 2 ? ["loop": true] : [:]
                _ = try await source.create(Document(id: "d\(number)", body: body))
            }
            let report = try await pull(endpoint, into: phone)
            #expect(report.failures.map(\.id) == ["d2"] && report.failures.first?.error == "timeout")
            #expect(report.counts.documentsWritten == 4 && report.failures.first?.status == 403)
        }
    }

    @Test("A refused resolution leaves the conflict, and is reported")
    func resolution() async throws {
        try await withPhone(.local) { source, endpoint, phone in
            _ = try await phone.create(guardDocument)
            try await source.graft(#"{"_id":"a","_rev":"1-a","kept":true}"#)
            try await source.graft(#"{"_id":"a","_rev":"1-b","kept":true}"#)
            let told = Mutex<[String]>([])
            var replicator = Replicator(.pull, phone, with: LocalEndpoint(source))
            replicator.resolution = PullResolution(.keepWinner) { id, error in
                let code = (error as? StoreError)?.code.description ?? "\(error)"
                told.withLock { $0.append("\(id) \(code)") }
            }
            _ = try await replicator.run()
            #expect(told.withLock { $0 } == ["a accessRefused"])
            #expect(try phone.leaves(of: "a").count == 2)
        }
    }

    @Test("A pull into a manager without JavaScript is not validated")
    func without() async throws {
        try await withManager { manager in
            let (source, target) = (try await manager.datastore(named: "s"), try await manager.datastore(named: "t"))
            _ = try await target.create(guardDocument)
            _ = try await source.create(Document(id: "a", body: ["forbid": "no"]))
            let report = try await pull(LocalEndpoint(source), into: target)
            #expect(report.counts.documentsWritten == 1 && report.failures.isEmpty)
        }
    }
}
