//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitClientNIO
import GodwitJSON
import GodwitKeys
import GodwitStore
import GodwitSync
import GodwitTransport
import GodwitURLSession
import Testing

/// The kind of a document store: the same tests run with each.
enum Place: String, CaseIterable, Sendable {
    case local, remote
    /// A datastore with encrypted files.
    case encrypted
    /// A database of a server, with compressed bodies.
    case packed
    /// A database of a server over URLSession, with compressed bodies.
    case byURLSession

    /// Runs `body` with a store and its datastore.
    func withStore(
        _ body: @escaping @Sendable (_ store: any DocumentStore, _ datastore: Datastore) async throws -> Void
    ) async throws {
        try await withManager(key: self == .encrypted ? .random() : nil) { manager in
            let datastore = try await manager.datastore(named: "trips")
            if self == .local || self == .encrypted { return try await body(datastore, datastore) }
            try await withServer(of: manager) { address in
                // Small pages, so that each list needs several requests.
                var limits = ClientLimits()
                limits.documentsPerBatchMax = 3
                limits.changesPerPageMax = 3
                let database = try CouchDatabase(
                    "\(address)/trips", credentials: .basic(user: "admin", password: "secret"), limits: limits,
                    packs: self != .remote,
                    transport: self == .byURLSession ? URLSessionTransport() : AsyncHTTPTransport())
                try await body(database, datastore)
            }
        }
    }
}

/// Returns the code of the error that `body` throws; `nil` when it throws no `StoreError`.
func code(_ body: () async throws -> Void) async -> StoreError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? StoreError)?.code
    }
}

private struct Trip: DocumentObject {
    var title: String
    var km: Int
}

@Suite("A document store, local and on a server")
struct DocumentStoreTests {
    @Test("A document is created, read, updated, deleted and created again", arguments: Place.allCases)
    func lifeOfADocument(_ position: Place) async throws {
        try await position.withStore { store, _ in
            var trip = try await store.create(Document(body: ["km": 42, "exact": 9_007_199_254_740_993]))
            let id = try #require(trip.id)
            #expect(try await store.document(id).body == ["km": 42, "exact": 9_007_199_254_740_993])
            let first = try #require(trip.revision)
            trip.body["km"] = 43
            trip = try await store.update(trip)
            #expect(trip.revision?.generation == 2)
            #expect(try await store.document(id).revision == trip.revision)
            #expect(try await store.document(id, at: first).body["km"] == 42)

            let deletion = try await store.delete(trip)
            #expect(deletion.generation == 3)
            #expect(await code { _ = try await store.document(id) } == .deleted)
            #expect(try await store.document(id, at: deletion).isDeleted)
            let again = try await store.create(Document(id: id, body: [:]))
            #expect(again.revision?.generation == 4)
        }
    }

    @Test("Failures have the same errors", arguments: Place.allCases)
    func errors(_ position: Place) async throws {
        try await position.withStore { store, _ in
            let old = try await store.create(Document(id: "a", body: ["n": 1]))
            _ = try await store.update(old)
            let unknown = try #require(RevisionID("7-00000000000000000000000000000000"))
            #expect(await code { _ = try await store.create(Document(id: "a", body: [:])) } == .conflict)
            #expect(await code { _ = try await store.update(old) } == .conflict)
            #expect(await code { try await store.delete(old) } == .conflict)
            #expect(await code { _ = try await store.document("b") } == .notFound)
            #expect(await code { _ = try await store.document("a", at: unknown) } == .notFound)
            #expect(await code { try await store.delete("b") } == .notFound)
            #expect(await code { _ = try await store.leaves(of: "b") } == .notFound)
            #expect(await code { _ = try await store.update(Document(id: "b", body: [:])) } == .invalidDocument)
            #expect(await code { _ = try await store.create(Document(body: ["_x": 1])) } == .invalidDocument)
            #expect(await code { _ = try await store.create(Document(body: ["x": .double(.nan)])) } == .invalidJSON)
            #expect(await code { _ = try await store.create(Document(id: "_x", body: [:])) } == .invalidDocumentID)
            #expect(await code { _ = try await store.create(Document(id: "", body: [:])) } == .invalidDocumentID)
            for id in ["", "_all_docs", "_x/y"] {
                #expect(await code { _ = try await store.document(id) } == .notFound)
                #expect(await code { _ = try await store.document(id, at: unknown) } == .notFound)
                #expect(await code { _ = try await store.leaves(of: id) } == .notFound)
                #expect(try await store.documents([id]).map { $0 == nil } == [true])
            }
            let long = Document(id: "long", body: ["x": .string(String(repeating: "x", count: 8_000_000))])
            #expect(await code { _ = try await store.create(long) } == .documentTooLarge)
            #expect(await code { _ = try await store.object("a", as: Trip.self) } == .wrongDataType)
        }
    }

    @Test("Swift values are saved and read unchanged", arguments: Place.allCases)
    func values(_ position: Place) async throws {
        try await position.withStore { store, _ in
            var trip = try await store.save(Trip(title: "Coast", km: 1), id: "coast")
            var document = try await store.document("coast")
            document.body["weather"] = "fog"
            document = try await store.update(document)
            trip = try await store.object("coast", as: Trip.self)
            trip.value.km = 2
            trip = try await store.save(trip)
            #expect(trip.value.km == 2)
            #expect(try await store.document("coast").body["weather"] == "fog")
            try await store.delete(trip)
            #expect(await code { _ = try await store.object("coast", as: Trip.self) } == .deleted)
        }
    }

    @Test("Documents are read by their ids and by ranges of them", arguments: Place.allCases)
    func lists(_ position: Place) async throws {
        try await position.withStore { store, _ in
            let ids = ["_design/x", ".", "..", "a/b", "a+b&c=d%20", "b", "c", "ä ö", "with \"quotes\"", "z"]
                .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            for id in ids { _ = try await store.create(Document(id: id, body: ["own": .string(id)])) }
            try await store.delete(try await store.create(Document(id: "bb", body: [:])))

            let found = try await store.documents(["z", "bb", "missing", "a/b", "ä ö", "_design/x", "b"])
            #expect(found.map { $0?.id } == ["z", nil, nil, "a/b", "ä ö", "_design/x", "b"])
            #expect(try await store.documents([]).isEmpty)

            func list(_ range: IDRange, _ limit: Int = .max, _ descending: Bool = false) async throws -> [String] {
                let documents = try await store.documents(in: range, limit: limit, descending: descending)
                let found = try await store.documentIDs(in: range, limit: limit, descending: descending)
                #expect(documents.map(\.id) == found)
                #expect(documents.allSatisfy { $0.body["own"]?.stringValue == $0.id && $0.revision != nil })
                return found
            }
            #expect(try await list(IDRange()) == ids)
            #expect(try await list(IDRange(), .max, true) == ids.reversed())
            #expect(try await list(IDRange(), 4) == Array(ids.prefix(4)))
            #expect(try await list(IDRange(), 0).isEmpty)
            for lower in [true, false] {
                for upper in [true, false] {
                    let range = IDRange(lower: "b", lowerIsIncluded: lower, upper: "z", upperIsIncluded: upper)
                    let expected = ids.filter {
                        ($0 == "b" ? lower : $0.utf8.first! >= UInt8(ascii: "b"))
                            && ($0 == "z" ? upper : $0.utf8.first! <= UInt8(ascii: "z"))
                    }
                    #expect(try await list(range) == expected)
                    #expect(try await list(range, .max, true) == expected.reversed())
                    #expect(try await list(range, 2) == Array(expected.prefix(2)))
                }
            }
            #expect(try await list(IDRange(lower: "z", upper: "a")).isEmpty)
            #expect(try await store.documentCount == ids.count)
            let info = try await store.info()
            #expect(info.name == "trips" && info.documentCount == ids.count && info.deletedCount == 1)
            #expect(info.fileBytes > 0 && info.updateSequence.number == Int64(ids.count + 2))
        }
    }

    @Test("Many concurrent writes have separate results", arguments: Place.allCases)
    func writesOfMany(_ position: Place) async throws {
        try await position.withStore { store, _ in
            let old = try await store.create(Document(id: "old", body: ["n": 1]))
            let newer = try await store.update(old)
            let gone = try await store.create(Document(id: "gone", body: [:]))
            let large = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let outcomes = try await store.writeEach([
                .create(Document(id: "a", body: [:])), .create(Document(body: ["n": 2])), .update(old),
                .update(Document(id: "never", body: [:])), .create(Document(id: "b", body: ["_x": 1])),
                .create(Document(id: "c", body: [:], attachments: ["x": .data(large, contentType: "image/png")])),
                .create(Document(id: "c", body: [:], attachments: ["y": .data(large, contentType: "image/png")])),
                .create(Document(id: "d", body: [:], attachments: ["x": .data([1, 2], contentType: "image/png")])),
                .delete(gone), .update(newer),
                .create(Document(id: "long", body: ["x": .string(String(repeating: "x", count: 8_000_000))])),
            ])
            let codes = outcomes.map { outcome -> StoreError.Code? in
                if case .failure(let error) = outcome { error.code } else { nil }
            }
            #expect(
                codes == [
                    nil, nil, .conflict, .invalidDocument, .invalidDocument, nil, .conflict, nil, nil, nil,
                    .documentTooLarge,
                ])
            for outcome in outcomes {
                guard case .success(let written) = outcome, written.id != "gone" else { continue }
                #expect(try await store.document(written.id).revision == written.revision)
            }
            #expect(try await store.document("c").attachments["x"]?.length == large.count)
            #expect(await code { _ = try await store.document("gone") } == .deleted)
            #expect(try await store.writeEach([]).isEmpty)
        }
    }

    @Test("Attachments are sent and received in pieces and stay with the next revision", arguments: Place.allCases)
    func attachments(_ position: Place) async throws {
        try await position.withStore { store, _ in
            let large = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
            let path = NSTemporaryDirectory() + "godwit-attachment-" + UUID().uuidString
            try Data(large).write(to: URL(fileURLWithPath: path))
            defer { try? FileManager.default.removeItem(atPath: path) }
            let pieces = AsyncStream<[UInt8]> { stream in
                for start in stride(from: 0, to: large.count, by: 70_000) {
                    stream.yield(Array(large[start..<min(start + 70_000, large.count)]))
                }
                stream.finish()
            }
            var photo = try await store.create(
                Document(
                    id: "photo ü", body: ["n": 1],
                    attachments: [
                        "a file.bin": .file(path, contentType: "image/jpeg"),
                        "b/stream": .stream(pieces, contentType: "video/mp4"),
                        "c": .data(large, contentType: "application/pdf"),
                        "d": .data([1, 2, 3], contentType: "text/x"),
                        "empty": .data([], contentType: "text/plain"),
                    ]))
            #expect(photo.attachments.count == 5)
            for (name, attachment) in photo.attachments {
                let expected = name == "d" ? [1, 2, 3] : name == "empty" ? [] : large
                #expect(attachment.length == expected.count && attachment.revisionPosition == 1)
                let bytes = try await store.bytes(of: attachment, in: nil)
                #expect(bytes.count == expected.count)
                #expect(try await bytes.collect(bytesMax: large.count) == expected)
                // The bytes can be read a second time.
                #expect(try await bytes.collect(bytesMax: large.count) == expected)
            }
            #expect(photo.attachments["d"]?.digest == "md5-Uonfc331cyb83SJZevsfrA==")
            #expect(photo.attachments["b/stream"]?.contentType == "video/mp4")

            photo.body["n"] = 2
            photo.attachments["c"] = nil
            photo.attachments["e"] = photo.attachments["d"]
            photo = try await store.update(photo)
            #expect(Set(photo.attachments.keys) == ["a file.bin", "b/stream", "d", "e", "empty"])
            #expect(photo.attachments["d"]?.revisionPosition == 1)
            #expect(photo.attachments["e"]?.revisionPosition == 2)

            let file = try #require(photo.attachments["a file.bin"])
            for range in [0..<10, 300_000..<600_001, 999_999..<2_000_000, 5..<5, 1_000_000..<1_000_000] {
                let found = try await store.bytes(of: file, in: range).collect(bytesMax: large.count)
                #expect(found == Array(large[range.clamped(to: 0..<large.count)]))
            }
            await #expect(throws: StoreError.self) {
                try await store.bytes(of: file, in: nil).collect(bytesMax: large.count - 1)
            }
            // The attachment is used in another document of the same database.
            let copy = try await store.create(Document(id: "copy", body: [:], attachments: ["x": file]))
            let copied = try #require(copy.attachments["x"])
            #expect(try await store.bytes(of: copied, in: nil).collect(bytesMax: large.count) == large)
            #expect(copied.digest == file.digest)
        }
    }

    @Test("A nonexistent attachment is reported as missing", arguments: Place.allCases)
    func missingAttachments(_ position: Place) async throws {
        try await position.withStore { store, _ in
            let new = GodwitStore.Attachment.data([1], contentType: "text/plain")
            #expect(await code { _ = try await store.bytes(of: new, in: nil) } == .notFound)
            let nowhere = Document(body: [:], attachments: ["x": .file("/nowhere/at/all", contentType: "text/plain")])
            #expect(await code { _ = try await store.create(nowhere) } == .storage)
            let named = Document(body: [:], attachments: ["_x": new])
            #expect(await code { _ = try await store.create(named) } == .invalidRequest)

            // An attachment of another database, whose bytes this database does not have.
            try await withManager { manager in
                let other = try await manager.datastore(named: "other")
                let elsewhere = try await other.create(Document(body: [:], attachments: ["x": new])).attachments
                let moved = Document(body: [:], attachments: elsewhere)
                #expect(await code { _ = try await store.create(moved) } == .missingStub)
                try await withServer(of: manager) { address in
                    let remote = try CouchDatabase(
                        "\(address)/other", credentials: .basic(user: "admin", password: "secret"))
                    let far = try await remote.create(Document(body: [:], attachments: ["x": new]))
                    let moved = Document(body: [:], attachments: far.attachments)
                    #expect(await code { _ = try await store.create(moved) } == .missingStub)
                    #expect(await code { _ = try await store.bytes(of: far.attachments["x"]!, in: nil) } == .notFound)
                }
            }
        }
    }

    @Test("The leaves of a conflict are listed, and deleted one by one or together", arguments: Place.allCases)
    func conflicts(_ position: Place) async throws {
        try await position.withStore { store, datastore in
            for id in ["x", "y"] {
                for branch in ["b", "c", "d"] {
                    try await datastore.graft(
                        #"{"_id":"\#(id)","_revisions":{"start":2,"ids":["\#(branch)","a"]},"v":"\#(branch)"}"#)
                }
            }
            #expect(try await store.leaves(of: "x").map(\.description) == ["2-d", "2-c", "2-b"])
            let losing = try await store.document("x", at: try #require(RevisionID("2-c")))
            #expect(losing.body["v"] == "c")
            #expect(try await store.delete(losing).generation == 3)
            #expect(try await store.leaves(of: "x").map(\.description) == ["2-d", "2-b"])
            #expect(try await store.document("x").body["v"] == "d")

            #expect(try await store.delete("y").map(\.generation) == [3, 3, 3])
            #expect(try await store.leaves(of: "y").isEmpty)
            #expect(await code { _ = try await store.document("y") } == .deleted)
            #expect(await code { try await store.delete("y") } == .notFound)
        }
    }

    @Test("Each change arrives once, feeds continue from a position, and live feeds wait", arguments: Place.allCases)
    func changes(_ position: Place) async throws {
        try await position.withStore { store, _ in
            func ids(_ since: UpdateSequence = .zero, limit: Int = .max) async throws -> [String] {
                var ids: [String] = []
                for try await change in store.changes(since: since, limit: limit, live: false) { ids.append(change.id) }
                return ids
            }
            #expect(try await ids().isEmpty)
            for number in 0..<8 { _ = try await store.create(Document(id: "d\(number)", body: ["n": 1])) }
            let deleted = try await store.delete(try await store.document("d1"))
            #expect(try await ids() == ["d0", "d2", "d3", "d4", "d5", "d6", "d7", "d1"])
            #expect(try await ids(limit: 4) == ["d0", "d2", "d3", "d4"])
            #expect(try await ids(limit: 0).isEmpty)

            var position = UpdateSequence.zero
            for try await change in store.changes(live: false, withDocuments: true) {
                #expect(change.leaves.first == change.revision && change.document?.revision == change.revision)
                #expect(change.isDeleted == (change.id == "d1"))
                if change.id == "d4" { position = change.sequence }
                if change.id == "d1" { #expect(change.revision == deleted && change.document?.isDeleted == true) }
                if change.id == "d2" { #expect(change.document?.body == ["n": 1]) }
            }
            #expect(try await ids(position) == ["d5", "d6", "d7", "d1"])
            let text = try #require(UpdateSequence(position.description))
            #expect(try await ids(text) == ["d5", "d6", "d7", "d1"])

            let odd = store.changes(since: .zero, limit: 2, live: false, withDocuments: false) {
                ["d3", "d5", "d7"].contains($0.id)
            }
            var chosen: [String] = []
            for try await change in odd { chosen.append(change.id) }
            #expect(chosen == ["d3", "d5"])

            let last = try await store.info().updateSequence
            let watching = Task {
                var ids: [String] = []
                for try await change in store.changes(since: last, limit: 2) { ids.append(change.id) }
                return ids
            }
            _ = try await store.create(Document(id: "e", body: [:]))
            _ = try await store.create(Document(id: "f", body: [:]))
            #expect(try await watching.value == ["e", "f"])

            // A feed ends when its task is cancelled while it waits.
            let end = try await store.info().updateSequence
            let waiting = Task { for try await _ in store.changes(since: end) {} }
            try await Task.sleep(for: .milliseconds(100))
            waiting.cancel()
            try await waiting.value
        }
    }
}
