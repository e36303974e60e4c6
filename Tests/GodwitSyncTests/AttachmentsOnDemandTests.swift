//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitClientNIO
import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import TestKit
import Testing

@Suite("Attachments on demand", .endsWhenHung)
struct AttachmentsOnDemandTests {
    /// A source, a target that is filled by pulls, and the transport between them.
    private struct Pair: Sendable {
        let source: Datastore
        let target: Datastore
        let address: String
        let transport = CuttingTransport()

        func remote(_ name: String = "source", limits: ReplicationLimits = ReplicationLimits()) throws -> RemoteEndpoint
        {
            RemoteEndpoint(
                try RemoteURL("\(address)/\(name)"), credentials: .basic(user: "admin", password: "secret"),
                limits: limits, transport: transport)
        }

        @discardableResult
        func pull(bytesMax: Int? = 1_000, isFar: Bool = true) async throws -> ReplicationReport {
            var replicator =
                isFar
                ? Replicator(.pull, target, with: try remote()) : Replicator(.pull, target, with: LocalEndpoint(source))
            replicator.attachmentBytesMax = bytesMax
            return try await replicator.run()
        }

        func get(_ path: String) async throws -> (status: Int, text: String) {
            var request = TransportRequest(method: "GET", url: "\(address)/\(path)", secondsMax: 10)
            request.headers = [("Authorization", "Basic YWRtaW46c2VjcmV0")]
            let response = try await AsyncHTTPTransport().send(request)
            var bytes: [UInt8] = []
            for try await piece in response.body { bytes += piece }
            return (response.status, String(decoding: bytes, as: UTF8.self))
        }
    }

    private static let large = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    private static let small = Array("a few words".utf8)

    /// Runs `body` with a source whose document `trip` has a small and a large attachment. Checks both files before and
    /// after.
    private func withPair(_ body: @escaping @Sendable (Pair) async throws -> Void) async throws {
        try await withManager { manager in
            let source = try await manager.datastore(named: "source")
            let target = try await manager.datastore(named: "target")
            _ = try await source.create(
                Document(
                    id: "trip", body: ["n": 1],
                    attachments: [
                        "photo.jpg": .data(Self.large, contentType: "image/jpeg"),
                        "note.txt": .data(Self.small, contentType: "text/plain"),
                    ]))
            try await withServer(of: manager) { try await body(Pair(source: source, target: target, address: $0)) }
            for store in [source, target] { #expect(try await store.check() == []) }
        }
    }

    private func bytes(_ store: Datastore, _ name: String, of id: String = "trip") async throws -> [UInt8] {
        try await store.bytes(of: try #require(try store.document(id).attachments[name])).collect(bytesMax: .max)
    }

    @Test(
        "A pull skips large attachments and copies small ones", arguments: [false, true],
        [5, 11, 1_000])
    func pull(isFar: Bool, bytesMax: Int) async throws {
        try await withPair { pair in
            _ = try await pair.source.create(
                Document(id: "tiny", body: [:], attachments: ["x": .data([1, 2, 3, 4, 5, 6], contentType: "t/x")]))
            let report = try await pair.pull(bytesMax: bytesMax, isFar: isFar)
            #expect(report.failures.isEmpty && report.counts.documentsWritten == 2)
            let (here, there) = (try pair.target.document("trip"), try pair.source.document("trip"))
            #expect(here.revision == there.revision && here.body == there.body)
            #expect(here.attachments.keys == ["note.txt", "photo.jpg"])
            #expect(here.attachments.values.map(\.isAbsent) == [bytesMax < 11, true])
            for name in ["photo.jpg", "note.txt"] {
                #expect(here.attachments[name]?.length == there.attachments[name]?.length)
                #expect(here.attachments[name]?.digest == there.attachments[name]?.digest)
            }
            if bytesMax >= 11 { #expect(try await bytes(pair.target, "note.txt") == Self.small) }
            #expect(try pair.target.document("tiny").attachments["x"]?.isAbsent == (bytesMax < 6))
            #expect(try await pair.target.check() == [])
            #expect(throws: StoreError.self) { try pair.target.bytes(of: here.attachments["photo.jpg"]!) }
        }
    }

    @Test("A server shows an absent attachment as a stub, and its error says where the bytes are")
    func server() async throws {
        try await withPair { pair in
            try await pair.pull()
            let (status, text) = try await pair.get("target/trip/photo.jpg")
            #expect(status == 404 && text.contains("database that this one was pulled from"), "\(text)")
            for query in ["attachments=true", "open_revs=all&attachments=true"] {
                let document = try await pair.get("target/trip?\(query)")
                #expect(document.status == 200 && document.text.contains(#""length":300000,"stub":true"#))
                #expect(document.text.contains("\r\n\r\na few words\r\n--"))
            }
            #expect(try await pair.get("target/trip/note.txt").text == "a few words")
        }
    }

    @Test(
        "A document that was edited locally is pushed, and the source keeps its attachments", arguments: [false, true])
    func pushBack(isFar: Bool) async throws {
        try await withPair { pair in
            try await pair.pull()
            var trip = try pair.target.document("trip")
            trip.body["n"] = 2
            trip = try await pair.target.update(trip)
            let replicator =
                isFar
                ? Replicator(.push, pair.target, with: try pair.remote())
                : Replicator(.push, pair.target, with: LocalEndpoint(pair.source))
            let report = try await replicator.run()
            #expect(report.failures.isEmpty)
            #expect(try pair.source.document("trip").revision == trip.revision)
            #expect(try await bytes(pair.source, "photo.jpg") == Self.large)
            #expect(try pair.source.document("trip").attachments["photo.jpg"]?.isAbsent == false)

            // Later revisions of the source are replicated as usual.
            var there = try pair.source.document("trip")
            there.body["n"] = 3
            there = try await pair.source.update(there)
            try await pair.pull(bytesMax: nil)
            let here = try pair.target.document("trip")
            #expect(here.revision == there.revision && here.attachments["photo.jpg"]?.isAbsent == true)
        }
    }

    @Test(
        "If the bytes are in neither database, the failure names the attachments of that document only",
        arguments: [false, true])
    func pushOn(isFar: Bool) async throws {
        try await withPair { pair in
            try await pair.pull()
            _ = try await pair.target.create(Document(id: "plain", body: [:]))
            try await withManager { manager in
                let third = try await manager.datastore(named: "third")
                try await withServer(of: manager) { address in
                    let remote = RemoteEndpoint(
                        try RemoteURL("\(address)/third"), credentials: .basic(user: "admin", password: "secret"))
                    let other: any DatabaseEndpoint = isFar ? remote : LocalEndpoint(third)
                    let push = Replicator(from: LocalEndpoint(pair.target), to: other)
                    let failure = try #require(try await push.run().failures.first)
                    #expect(failure.id == "trip" && failure.status == 412 && failure.error == "missing_stub")
                    #expect(failure.reason.contains("photo.jpg") && failure.reason.contains("Fetch"), "\(failure)")
                    #expect(try third.documentIDs(limit: 9) == ["plain"])

                    try await pair.target.fetch("photo.jpg", of: "trip", from: try pair.remote())
                    // The checkpoint is after the refused document. The document is replicated now because it was left
                    // out.
                    let report = try await push.run()
                    #expect(report.failures.isEmpty && report.counts.documentsWritten == 1, "\(report)")
                    #expect(try await bytes(third, "photo.jpg") == Self.large)
                }
                #expect(try third.documentIDs(limit: 9) == ["plain", "trip"])
            }
        }
    }

    @Test("An attachment is fetched by name over a connection that fails repeatedly, with progress")
    func fetch() async throws {
        try await withPair { pair in
            try await pair.pull()
            var trip = try pair.target.document("trip")
            trip.body["n"] = 2
            trip = try await pair.target.update(trip)
            pair.transport.change { $0.cutsAfterBytes = 40_000 }
            let told = Mutex<[Int]>([])
            var limits = ReplicationLimits()
            limits.retrySeconds = 0.001
            limits.attemptsMax = 2
            let photo = try await pair.target.fetch("photo.jpg", of: "trip", from: try pair.remote(), limits: limits) {
                bytes, total in
                #expect(total == Self.large.count)
                told.withLock { $0.append(bytes) }
            }
            #expect(!photo.isAbsent && photo.revisionPosition == 1)
            #expect(try await bytes(pair.target, "photo.jpg") == Self.large)
            let counts = told.withLock { $0 }
            #expect(counts == counts.sorted() && counts.last == Self.large.count)
            // Each attempt resumed where the previous one ended.
            #expect(pair.transport.ranges == [nil] + (1...7).map { "bytes=\($0 * 40_000)-" })
            #expect(try pair.target.document("trip").revision == trip.revision)
            #expect(try await Replicator(.push, pair.target, with: try pair.remote()).run().failures.isEmpty)
            #expect(try await Replicator(.push, pair.target, with: try pair.remote()).run().counts.missingChecked == 0)

            // The second call has nothing to fetch.
            try await pair.target.fetch("photo.jpg", of: "trip", from: try pair.remote())
            #expect(pair.transport.ranges.count == 8)
            #expect(try await bytes(pair.target, "photo.jpg") == Self.large)
        }
    }

    @Test("Two concurrent fetches both succeed, and all leaves get the bytes")
    func together() async throws {
        try await withPair { pair in
            let first = try #require(try pair.source.document("trip").revision?.hashText)
            for branch in ["b", "c"] {
                try await pair.source.graft(
                    #"{"_id":"trip","_revisions":{"start":2,"ids":["\#(branch)","\#(first)"]},"_attachments":{"photo.jpg":{"stub":true,"revpos":1}}}"#
                )
            }
            try await pair.pull()
            let leaves = try pair.target.leaves(of: "trip")
            #expect(leaves.count == 2)
            async let one = pair.target.fetch("photo.jpg", of: "trip", at: leaves[1], from: try pair.remote())
            async let two = pair.target.fetch("photo.jpg", of: "trip", from: LocalEndpoint(pair.source))
            for photo in try await [one, two] {
                #expect(try await pair.target.bytes(of: photo).collect(bytesMax: .max) == Self.large)
            }
            for leaf in leaves {
                #expect(try pair.target.document("trip", at: leaf).attachments["photo.jpg"]?.isAbsent == false)
            }
        }
    }

    @Test("Bytes with another digest are refused, and nothing changes")
    func wrongDigest() async throws {
        try await withPair { pair in
            try await pair.pull()
            pair.transport.change { $0.isSpoiling = true }
            var limits = ReplicationLimits()
            limits.retrySeconds = 0.001
            limits.attemptsMax = 2
            let error = await #expect(throws: ReplicationError.self) {
                try await pair.target.fetch("photo.jpg", of: "trip", from: try pair.remote(), limits: limits)
            }
            #expect(error?.code == .badResponse && error?.message.contains("digest") == true, "\(error)")
            #expect(try pair.target.document("trip").attachments["photo.jpg"]?.isAbsent == true)
            pair.transport.change { $0.isSpoiling = false }
            try await pair.target.fetch("photo.jpg", of: "trip", from: try pair.remote())
        }
    }

    @Test("An attachment that the other database does not have any more, or never had, cannot be fetched")
    func gone() async throws {
        try await withPair { pair in
            try await pair.pull()
            var there = try pair.source.document("trip")
            there.attachments["photo.jpg"] = .data(Self.small, contentType: "image/jpeg")
            _ = try await pair.source.update(there)
            for endpoint: any DatabaseEndpoint in [try pair.remote(), LocalEndpoint(pair.source)] {
                let error = await #expect(throws: ReplicationError.self) {
                    try await pair.target.fetch("photo.jpg", of: "trip", from: endpoint)
                }
                #expect(error?.code == .attachmentRefused, "\(error)")
            }
            for (name, id) in [("photo.jpg", "nowhere"), ("nothing", "trip")] {
                let error = await #expect(throws: ReplicationError.self) {
                    try await pair.target.fetch(name, of: id, from: try pair.remote())
                }
                #expect(error?.code == .store)
            }
            // The new attachment is small, and is included in the next pull.
            try await pair.pull()
            #expect(try await bytes(pair.target, "photo.jpg") == Self.small)
        }
    }

    @Test(
        "An attachment that the other database compresses is fetched, although its digest is of the compressed bytes"
    )
    func packed() async throws {
        try await withPair { pair in
            let digest = try #require(try pair.source.document("trip").attachments["photo.jpg"]?.digest)
            let lie = "md5-AAAAAAAAAAAAAAAAAAAAAA=="
            pair.transport.change {
                $0.lies = [("\(digest)\",\"length\":300000", "\(lie)\",\"encoding\":\"gzip\",\"length\":300000")]
            }
            try await pair.pull()
            #expect(try pair.target.document("trip").attachments["photo.jpg"]?.digest == lie)
            let photo = try await pair.target.fetch("photo.jpg", of: "trip", from: try pair.remote())
            #expect(photo.digest == digest)
            #expect(try await bytes(pair.target, "photo.jpg") == Self.large)
        }
    }

    @Test(
        "Impossible numbers for an attachment affect only its document",
        arguments: [
            ("\"revpos\":1", "\"revpos\":-1"), ("\"length\":11", "\"length\":\(Int.max)"),
            ("\"length\":11", "\"length\":-1"),
        ], [nil, 5])
    func nonsense(_ lie: (String, String), _ bytesMax: Int?) async throws {
        try await withPair { pair in
            pair.transport.change { $0.lies = [lie] }
            var limits = ReplicationLimits()
            limits.retrySeconds = 0.001
            limits.attemptsMax = 1
            var pull = Replicator(.pull, pair.target, with: try pair.remote(), limits: limits)
            pull.attachmentBytesMax = bytesMax
            _ = try? await pull.run()
            for photo in try pair.target.allDocuments().compactMap({ $0.attachments["photo.jpg"] }) {
                #expect(try #require(photo.revisionPosition) >= 1)
            }
        }
    }

    @Test("A document that is edited during a fetch keeps the edit and gets the bytes")
    func editedMeanwhile() async throws {
        try await withPair { pair in
            try await pair.pull()
            let target = pair.target
            pair.transport.change { transport in
                transport.onBody = {
                    var trip = try target.document("trip")
                    trip.body["n"] = 9
                    _ = try await target.update(trip)
                }
            }
            try await pair.target.fetch("photo.jpg", of: "trip", from: try pair.remote())
            let trip = try pair.target.document("trip")
            #expect(trip.body["n"] == 9 && trip.revision?.generation == 2)
            #expect(try await bytes(pair.target, "photo.jpg") == Self.large)
        }
    }
}
