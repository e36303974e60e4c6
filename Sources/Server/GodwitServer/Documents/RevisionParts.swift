//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitTransport
import HTTPTypes

/// A revision for a multipart body. It consists of the text of the document and the attachments that follow the text.
struct RevisionParts {
    let revision: RevisionID
    fileprivate let text: [UInt8]
    fileprivate let following: [AttachmentRecord]

    /// Whether attachments follow the document.
    var hasAttachments: Bool { !following.isEmpty }

    /// Returns the revision as `multipart/related`. The bytes of the attachments are read when the text is sent.
    func related(_ writer: MultipartWriter) -> DocumentText {
        var writer = writer
        var text = DocumentText(writer.part(MultipartWriter.documentHeaders))
        text += self.text
        for record in following {
            let headers = MultipartWriter.attachmentHeaders(
                name: record.name, contentType: record.contentType, length: record.blob.length)
            text += writer.part(headers)
            text.leaveGap(for: record, isEncoded: false)
        }
        text += writer.end()
        return text
    }
}

extension DocumentReader {
    /// Returns a revision for a multipart body; `nil` when the database does not have the revision's content.
    ///
    /// - Parameter revision: The revision. `nil` means the revision that the query names, or the winner if the query
    ///   names no revision.
    func parts(of row: DocumentRow, revision: RevisionID?) throws -> RevisionParts? {
        let stored = try revision.map { try table.revision($0, of: row) } ?? self.revision(of: row)
        guard let stored else { return nil }
        var renderer = try query.renderer(for: stored.revision, of: row, table: table)
        if case .inline(let clientRevisions) = renderer.attachments {
            renderer.attachments = .following(unlessIn: clientRevisions)
        }
        if query.localSequence { renderer.localSequence = row.sequence }
        var text = DocumentText()
        renderer.append(stored, to: &text)
        return RevisionParts(
            revision: stored.revision, text: text.bytes, following: stored.attachments.filter(renderer.follows))
    }
}

/// Writes several revisions as `multipart/mixed`. Revisions with attachments are nested as `multipart/related`.
struct MixedParts {
    private var writer = MultipartWriter()
    /// The writer of nested bodies. As in CouchDB, all nested bodies have the same boundary.
    private let nestedWriter = MultipartWriter()

    /// `multipart/mixed`, or `multipart/related` for a client that does not accept `multipart/mixed`.
    let contentType: String

    init(for request: ServerRequest) {
        contentType = writer.contentType(request.accepts("multipart/mixed") ? "mixed" : "related")
    }

    /// Appends one revision.
    ///
    /// - Parameter headers: Further headers of the part that contains the revision.
    mutating func append(_ parts: RevisionParts, headers: [(String, String)] = [], to text: inout DocumentText) {
        guard parts.hasAttachments else {
            text += writer.part(headers + MultipartWriter.documentHeaders)
            text += parts.text
            return
        }
        text += writer.part(headers + [("Content-Type", nestedWriter.contentType("related"))])
        text += parts.related(nestedWriter)
    }

    /// Appends the part of a missing revision.
    mutating func append(missing: [UInt8], headers: [(String, String)] = [], to text: inout DocumentText) {
        text += writer.part(headers + [("Content-Type", "application/json; error=\"true\"")])
        text += missing
    }

    mutating func end() -> [UInt8] { writer.end() }
}

extension ServerRequest {
    /// Whether the client accepts a media type, for example `multipart/mixed`. A client that sends no header `Accept`
    /// accepts all types.
    func accepts(_ type: String) -> Bool {
        guard let header = header(.accept) else { return true }
        let typeRange = type.prefix { $0 != "/" } + "/*"
        return header.lowercased().pieces(at: ",").contains { entry in
            let pieces = entry.pieces(at: ";").map { $0.filter { $0 != " " } }
            guard let accepted = pieces.first,
                [type, String(typeRange), "*/*"].contains(where: accepted.isIdenticalText)
            else { return false }
            return !pieces.dropFirst().contains { $0.begins(with: "q=0") && !$0.dropFirst(3).contains { $0 > "0" } }
        }
    }
}
