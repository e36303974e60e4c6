//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitMultipart
import GodwitStore
import HTTPTypes

/// A revision as it is sent in several parts: its text and the attachments that follow it.
struct RevisionParts: Sendable {
    let revision: RevisionID
    let text: [UInt8]
    /// What follows, kept from removal until it is sent.
    let following: [(record: AttachmentRecord, pin: AttachmentPin)]

    private var headers: [[(String, String)]] {
        following.map { record, _ in
            MultipartWriter.attachmentHeaders(
                name: record.name, contentType: record.contentType, length: record.blob.length)
        }
    }

    /// The length of the whole as `multipart/related`.
    func length(in writer: MultipartWriter) -> Int {
        writer.length(
            of: [(headers: MultipartWriter.documentHeaders, bodyBytes: text.count)]
                + zip(headers, following).map { ($0, $1.record.blob.length) })
    }

    /// Sends the text and what follows as `multipart/related`.
    func send(with writer: MultipartWriter, from datastore: Datastore, to response: ServerResponse) async throws {
        var writer = writer
        try await response.write(writer.part(MultipartWriter.documentHeaders))
        try await response.write(text)
        for (headers, attachment) in zip(headers, following) {
            try await response.write(writer.part(headers))
            try await response.write(0..<attachment.record.blob.length, of: attachment.pin, from: datastore)
        }
        try await response.write(writer.end())
    }
}

extension Datastore {
    /// A revision for sending in parts; `nil` when its body is not here.
    ///
    /// - Parameter revision: The revision; `nil` for the one that the query names, or the winner.
    func parts(of id: String, revision: RevisionID?, query: DocumentQuery) throws -> RevisionParts? {
        let found = try readTogether { table -> (StoredRevision, [AttachmentRecord], [UInt8])? in
            guard let row = try table.row(id: id) else { return nil }
            let stored = try revision.map { try table.revision($0, of: row) } ?? table.revision(of: row, query: query)
            guard let stored else { return nil }
            var renderer = try query.renderer(for: stored.revision, of: row, table: table)
            if case .inline(let known) = renderer.attachments { renderer.attachments = .following(unlessIn: known) }
            if query.localSequence { renderer.localSequence = sequence(row.sequence).description }
            var text = DocumentText()
            renderer.append(stored, to: &text)
            return (stored, stored.attachments.filter(renderer.shows), text.bytes)
        }
        guard let (stored, records, text) = found else { return nil }
        return RevisionParts(
            revision: stored.revision, text: text, following: try records.map { ($0, try pin($0.blob)) })
    }
}

/// Sends several revisions as `multipart/mixed`, those with attachments as `multipart/related` within.
struct MixedPartsWriter {
    private var writer = MultipartWriter()
    private let response: ServerResponse
    private let datastore: Datastore

    init(datastore: Datastore, response: ServerResponse) {
        self.datastore = datastore
        self.response = response
    }

    func begin() async throws { try await response.begin(contentType: writer.contentType("mixed")) }

    /// Sends one revision.
    ///
    /// - Parameter headers: Further headers of its part.
    mutating func send(_ parts: RevisionParts, headers: [(String, String)] = []) async throws {
        guard !parts.following.isEmpty else {
            try await response.write(writer.part(headers + MultipartWriter.documentHeaders))
            return try await response.write(parts.text)
        }
        let inner = MultipartWriter()
        try await response.write(writer.part(headers + [("Content-Type", inner.contentType("related"))]))
        try await parts.send(with: inner, from: datastore, to: response)
    }

    /// Sends what stands for a revision that is not here.
    mutating func send(missing text: [UInt8], headers: [(String, String)] = []) async throws {
        try await response.write(writer.part(headers + [("Content-Type", "application/json; error=\"true\"")]))
        try await response.write(text)
    }

    mutating func end() async throws {
        try await response.write(writer.end())
        try await response.finish()
    }
}

extension ServerRequest {
    /// Whether the client takes several parts rather than JSON, as CouchDB decides it: it must say so.
    func accepts(multipart subtypes: String...) -> Bool {
        let accepted = (header(.accept) ?? "").lowercased().split(separator: ",").map { item in
            item.prefix { $0 != ";" }.filter { $0 != " " }
        }
        return subtypes.contains { accepted.contains("multipart/\($0)") }
    }
}
