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

@Suite("Small attachments of many documents", .endsWhenHung)
struct BulkGetPartsTests {
    /// The response types that `_bulk_get` requests accepted.
    private final class Asked: Sendable {
        private let held = Mutex<[String]>([])
        var types: [String] { held.withLock { $0 } }

        func note(_ request: TransportRequest) -> Bool {
            guard request.url.contains("/_bulk_get"), request.url.contains("attachments=true") else { return false }
            held.withLock { $0.append(request.headers.first { $0.name == "Accept" }?.value ?? "") }
            return true
        }
    }

    private static let notes = Array("Die Pfuhlschnepfe fliegt elftausend Kilometer ohne Halt.".utf8)

    private func fill(_ source: Datastore) async throws {
        for number in 0..<25 {
            _ = try await source.create(
                Document(
                    id: "d\(number)", body: ["n": .integer(Int64(number))],
                    attachments: [
                        "ä \"b\".txt": .data(Self.notes + Array("\(number)".utf8), contentType: "text/plain"),
                        "empty": .data([], contentType: "application/x-nothing"),
                        "z.bin": .data(Array(repeating: UInt8(number), count: 1_000), contentType: "image/jpeg"),
                    ]))
        }
    }

    @Test("They arrive unchanged, in parts, with their documents")
    func parts() async throws {
        let asked = Asked()
        let transport = DoctoredTransport { request in
            #expect(!request.url.contains("/d0/"))
            _ = asked.note(request)
            return nil
        }
        try await withDoctored(transport) { source, target, replicator in
            try await fill(source)
            #expect(try await replicator.run().failures.isEmpty)
            #expect(try target.fingerprint() == source.fingerprint())
            #expect(!asked.types.isEmpty && Set(asked.types) == ["multipart/mixed"])
        }
    }

    @Test("Each leaf arrives, with any member names and without members that its peer omits", arguments: [false, true])
    func leaves(leavesOut: Bool) async throws {
        let transport = DoctoredTransport { request in
            guard leavesOut, request.url.contains("/_bulk_get"), case .bytes(let body) = request.body else {
                return nil
            }
            // Simulates a peer that leaves out the last revision.
            var documents = try JSONValue(parsing: body)["docs"]?.arrayValue ?? []
            documents.removeLast()
            request.body = .bytes(JSONValue.object(["docs": .array(documents)]).jsonBytes())
            return nil
        }
        try await withDoctored(transport) { source, target, replicator in
            for leaf in ["b", "c"] {
                let text = """
                    {"_id":"x","_revisions":{"start":2,"ids":["\(leaf)","a"]},"error":{"id":"x","rev":"2-b"},\
                    "_attachments":{"n":{"content_type":"text/plain","data":"bm90ZQ=="}}}
                    """
                try await source.graft(text)
            }
            #expect(try await replicator.run().failures.isEmpty)
            #expect(try target.fingerprint() == source.fingerprint())
        }
    }

    @Test("A peer that sends no parts is asked for JSON, and not for parts again", arguments: [400, 406, 415, 500])
    func refused(status: Int) async throws {
        let asked = Asked()
        let transport = DoctoredTransport { request in
            guard asked.note(request), asked.types.last == "multipart/mixed" else { return nil }
            return (status, #"{"error":"not_acceptable","reason":"no"}"#)
        }
        try await withDoctored(transport, { $0.revisionsPerBatchMax = 10 }) { source, target, replicator in
            try await fill(source)
            #expect(try await replicator.run().failures.isEmpty)
            #expect(try target.fingerprint() == source.fingerprint())
            let first = asked.types.prefix { $0 == "multipart/mixed" }.count
            #expect(first > 0 && !asked.types.dropFirst(2 * first).contains("multipart/mixed"))
        }
    }

    @Test("JSON is accepted from a peer that always sends it")
    func json() async throws {
        let asked = Asked()
        let transport = DoctoredTransport { request in
            if asked.note(request) { request.headers = request.headers.filter { $0.name != "Accept" } }
            return nil
        }
        try await withDoctored(transport) { source, target, replicator in
            try await fill(source)
            #expect(try await replicator.run().failures.isEmpty)
            #expect(try target.fingerprint() == source.fingerprint())
        }
    }

    @Test("Compressed attachments of CouchDB are decompressed, and those that do not match are requested again")
    func packed() async throws {
        try await withManager { manager in
            let source = try await manager.datastore(named: "source")
            let target = try await manager.datastore(named: "target")
            var texts: [String: (revision: String, bytes: [UInt8])] = [:]
            for id in ["good", "spoilt", "short"] {
                let bytes = Self.notes + Array(id.utf8)
                let saved = try await source.create(
                    Document(id: id, body: [:], attachments: ["a.txt": .data(bytes, contentType: "text/plain")]))
                texts[id] = ("\(try #require(saved.revision))", bytes)
            }
            let asked = Asked()
            let singles = Mutex(0)
            let answer = Self.couchAnswer(texts)
            try await withServer(of: manager) { address in
                let transport = AnsweringTransport { request in
                    if request.url.contains("open_revs"), request.url.contains("attachments=true") {
                        singles.withLock { $0 += 1 }
                    }
                    return asked.note(request) ? answer : nil
                }
                let remote = RemoteEndpoint(
                    try RemoteURL("\(address)/source"), credentials: .basic(user: "admin", password: "secret"),
                    transport: transport)
                #expect(try await Replicator(.pull, target, with: remote).run().failures.isEmpty)
            }
            #expect(try target.fingerprint() == source.fingerprint())
            #expect(asked.types.count == 1 && singles.withLock { $0 } == 2)
        }
    }

    /// Returns a response of `_bulk_get` in CouchDB's form for compressed attachments.
    private static func couchAnswer(
        _ texts: [String: (revision: String, bytes: [UInt8])]
    ) -> (type: String, body: [UInt8]) {
        var outer = MultipartWriter()
        var body: [UInt8] = []
        for (id, (revision, bytes)) in texts {
            var packer = GzipPacker()
            var packed = packer.pack(bytes) + packer.end()
            var digits = Array("md5-".utf8)
            Base64.append(MessageDigest.Algorithm.md5.digest(of: packed), to: &digits)
            if id == "spoilt" { packed[packed.count - 1] ^= 1 }
            let length = bytes.count + (id == "short" ? 1 : 0)
            let text = """
                {"_id":"\(id)","_rev":"\(revision)","_revisions":{"start":1,"ids":["\(revision.dropFirst(2))"]},\
                "_attachments":{"a.txt":{"content_type":"text/plain","revpos":1,"follows":true,"encoding":"gzip",\
                "digest":"\(String(decoding: digits, as: UTF8.self))","length":\(length),"encoded_length":\(packed.count)}}}
                """
            var inner = MultipartWriter()
            body += outer.part([("X-Doc-Id", id), ("Content-Type", inner.contentType("related"))])
            body += inner.part(MultipartWriter.documentHeaders) + Array(text.utf8)
            body += inner.part(
                MultipartWriter.attachmentHeaders(
                    name: "a.txt", contentType: "text/plain", length: packed.count, encoding: "gzip"))
            body += packed + inner.end()
        }
        return (outer.contentType("mixed"), body + outer.end())
    }
}

/// Sends requests to a real server, except those that the test answers.
private struct AnsweringTransport: Transport {
    let answer: @Sendable (TransportRequest) -> (type: String, body: [UInt8])?

    func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
        guard let (type, body) = answer(request) else { return try await AsyncHTTPTransport().send(request) }
        let pieces = AsyncThrowingStream<[UInt8], any Error> { stream in
            stream.yield(body)
            stream.finish()
        }
        return TransportResponse(status: 200, headers: [("Content-Type", type)], body: pieces)
    }
}
