//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Renders a stored revision as the JSON that CouchDB returns.
///
/// The body's stored bytes are copied without parsing.
package struct DocumentRenderer: Sendable {
    /// The form of attachments in the rendered document.
    package enum Attachments: Sendable {
        case stubs
        /// With their bytes, in Base64. Two kinds of attachments are rendered as stubs: absent attachments, and
        /// attachments that the receiver already has. The receiver has the given ancestors. So it has an attachment
        /// that was added in the generation of one of these ancestors, or earlier.
        case inline(unlessIn: [RevisionID])
        /// As `inline`, except that the bytes are not in the document. The attachment has the member `follows`, and its
        /// bytes are sent after the document. Empty attachments are inline.
        case following(unlessIn: [RevisionID])
    }

    /// The form of attachments; by default stubs, without bytes.
    package var attachments = Attachments.stubs
    /// `_conflicts`: the other live leaves.
    package var conflicts: [RevisionID]?
    /// `_deleted_conflicts`: the other deleted leaves.
    package var deletedConflicts: [RevisionID]?
    /// `_revisions`: the revision and its ancestors, the youngest first.
    package var path: [RevisionID]?
    /// `_revs_info`: the revision and its ancestors, each with the status of its body.
    package var pathStatus: [(revision: RevisionID, status: String)]?
    /// `_local_seq`: the sequence number of the document's last change.
    package var localSequence: Int64?

    /// Creates a renderer that adds no optional members, such as `_conflicts`, and renders attachments as stubs.
    package init() {}

    /// Appends the rendered document.
    package func append(_ revision: StoredRevision, to text: inout DocumentText) {
        text.append(raw: "{\"_id\":")
        JSONWriter.appendQuoted(revision.id, to: &text.bytes)
        text.append(raw: ",\"_rev\":\"")
        text.bytes.append(revision.revision)
        text.append(raw: "\"")
        if revision.leaf.isDeleted { text.append(raw: ",\"_deleted\":true") }
        appendAttachments(revision, to: &text)
        appendMeta(to: &text.bytes)
        if revision.body.count > 2 {
            text.append(UInt8(ascii: ","))
            text.bytes.append(contentsOf: revision.body[1...])
        } else {
            text.append(UInt8(ascii: "}"))
        }
    }

    private func appendMeta(to text: inout [UInt8]) {
        if let path, let first = path.first {
            text.append(raw: ",\"_revisions\":{\"start\":\(first.generation),\"ids\":[")
            for (position, revision) in path.enumerated() {
                if position > 0 { text.append(UInt8(ascii: ",")) }
                text.append(quotedPlain: revision.hashText)
            }
            text.append(raw: "]}")
        }
        if let pathStatus {
            let entries = pathStatus.map { "{\"rev\":\"\($0.revision)\",\"status\":\"\($0.status)\"}" }
            text.append(raw: ",\"_revs_info\":[\(entries.joined(separator: ","))]")
        }
        if let localSequence { text.append(raw: ",\"_local_seq\":\(localSequence)") }
        append(conflicts, as: "_conflicts", to: &text)
        append(deletedConflicts, as: "_deleted_conflicts", to: &text)
    }

    private func append(_ revisions: [RevisionID]?, as name: String, to text: inout [UInt8]) {
        guard let revisions, !revisions.isEmpty else { return }
        text.append(raw: ",\"\(name)\":[\(revisions.map { "\"\($0)\"" }.joined(separator: ","))]")
    }

    private func appendAttachments(_ revision: StoredRevision, to text: inout DocumentText) {
        guard !revision.attachments.isEmpty else { return }
        text.append(raw: ",\"_attachments\":{")
        for (position, attachment) in revision.attachments.enumerated() {
            if position > 0 { text.append(UInt8(ascii: ",")) }
            JSONWriter.appendQuoted(attachment.name, to: &text.bytes)
            text.append(raw: ":{\"content_type\":")
            JSONWriter.appendQuoted(attachment.contentType, to: &text.bytes)
            text.append(raw: ",\"revpos\":\(attachment.revisionPosition),\"digest\":\"")
            text.append(raw: attachment.blob.md5Text)
            text.append(raw: "\"")
            if follows(attachment) {
                text.append(raw: ",\"length\":\(attachment.blob.length),\"follows\":true}")
            } else if shows(attachment) {
                text.append(raw: ",\"data\":\"")
                text.leaveGap(for: attachment, isEncoded: true)
                text.append(raw: "\"}")
            } else {
                text.append(raw: ",\"length\":\(attachment.blob.length),\"stub\":true}")
            }
        }
        text.append(UInt8(ascii: "}"))
    }

    /// Whether the bytes of an attachment follow the document. An empty attachment is inline, because the replicator of
    /// CouchDB 3.5 waits half a minute at each part without bytes, even if another CouchDB sent the part.
    package func follows(_ attachment: AttachmentRecord) -> Bool {
        guard case .following = attachments else { return false }
        return shows(attachment) && attachment.blob.length > 0
    }

    /// Whether the bytes of an attachment are sent, in the document or after it. The bytes of an absent attachment are
    /// never sent.
    package func shows(_ attachment: AttachmentRecord) -> Bool {
        guard !attachment.blob.isAbsent else { return false }
        return isNeeded(attachment)
    }

    /// Whether a client that has only the given ancestors needs the bytes of an attachment.
    package func isNeeded(_ attachment: AttachmentRecord) -> Bool {
        switch attachments {
        case .stubs: false
        case .inline(let ancestors), .following(let ancestors):
            !ancestors.contains { $0.generation >= attachment.revisionPosition }
        }
    }
}

extension StoredBlob {
    /// The digest in CouchDB's form: `md5-` and Base64.
    package var md5Text: String { AttachmentDigest.text(md5) }
}

extension [UInt8] {
    /// Appends a text unchanged.
    package mutating func append(raw text: String) { append(contentsOf: text.utf8) }

    /// Appends a literal unchanged.
    package mutating func append(literal text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a text within quotes. The text must contain no character that JSON escapes.
    package mutating func append(quotedPlain text: String) {
        append(UInt8(ascii: "\""))
        append(contentsOf: text.utf8)
        append(UInt8(ascii: "\""))
    }
}
