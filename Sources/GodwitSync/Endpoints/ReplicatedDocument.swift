//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitClient
import GodwitJSON
public import GodwitStore

/// A revision on its way: its JSON with `_id`, `_rev`, `_revisions` and `_attachments`.
public struct ReplicatedDocument: Sendable {
    /// The document's id.
    public let id: String
    /// The revision.
    public let revision: RevisionID
    /// The document's text.
    public let text: [UInt8]
    /// The attachments that the target needs and that are too large to be in the text, where they are stubs.
    public var attachments: [ReplicatedAttachment]
    /// The attachments whose bytes came with the document and are not in its text, which says of them that they follow.
    var arrived: [Arrived] = []
    /// The attachments that the target may need and whose bytes are not at the source, where it tells.
    var absentAttachments: [String] = []

    /// Creates a document.
    public init(id: String, revision: RevisionID, text: [UInt8], attachments: [ReplicatedAttachment] = []) {
        self.id = id
        self.revision = revision
        self.text = text
        self.attachments = attachments
    }

    /// An attachment with its bytes.
    struct Arrived: Sendable {
        let attachment: ReplicatedAttachment
        let bytes: [UInt8]
    }

    /// The bytes of its text, and of the attachments that came with it.
    var bytes: Int { arrived.reduce(text.count) { $0 + $1.bytes.count } }

    /// The bytes that it holds in memory, about.
    var heldBytes: Int { bytes + ReplicatedDocument.overheadBytes }

    private static let overheadBytes = 160

    /// Whether bytes of attachments are to be read where they are.
    var isCarried: Bool { !attachments.isEmpty }
}

/// An attachment that is carried from one side to the other.
public struct ReplicatedAttachment: Sendable {
    /// Its name.
    public let name: String
    /// Its media type.
    public let contentType: String
    /// The bytes of it, unpacked.
    public let length: Int
    /// CouchDB's digest, `md5-…`, of the bytes as the source keeps them; empty when it does not say.
    public let digest: String
    /// The generation in which it came.
    public let revisionPosition: Int
    /// Whether the source keeps it packed by gzip, so that `digest` is of the packed bytes.
    public let isPacked: Bool

    /// The most that a peer may announce: 1 TB, so that the lengths of all attachments of a document can be added.
    static let lengthMax = 1 << 40

    /// Creates a description.
    public init(
        name: String, contentType: String, length: Int, digest: String, revisionPosition: Int, isPacked: Bool = false
    ) {
        self.name = name
        self.contentType = contentType
        self.length = length
        self.digest = digest
        self.revisionPosition = revisionPosition
        self.isPacked = isPacked
    }
}

extension ReplicatedDocument {
    /// The text in which the attachments that are carried follow it, as in a multipart body.
    var textWithFollowing: [UInt8] { text(of: attachments) { attachments[$0].appendFollowing(to: &$1) } }

    /// The text in which the attachments that came with the document are Base64.
    var textWithArrived: [UInt8] {
        guard !arrived.isEmpty else { return text }
        return text(of: arrived.map(\.attachment)) { place, text in
            arrived[place].attachment.appendInline(arrived[place].bytes, to: &text)
        }
    }

    /// The text with other words for some of its attachments.
    ///
    /// - Parameter append: Is given the attachment's place among them.
    private func text(of attachments: [ReplicatedAttachment], _ append: (Int, inout [UInt8]) -> Void) -> [UInt8] {
        guard let tape = try? JSONTape(scanning: text, limits: .replicated),
            let members = tape.member("_attachments", of: 0)
        else { return text }
        var output: [UInt8] = []
        var copied = 0
        for (key, value) in tape.members(of: members) {
            let name = tape.string(key)
            guard let place = attachments.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { continue }
            let range = tape.range(value)
            output += text[copied..<range.lowerBound]
            append(place, &output)
            copied = range.upperBound
        }
        return output + text[copied...]
    }
}

extension ReplicatedAttachment {
    private func appendHead(to text: inout [UInt8]) {
        text.append(raw: "{\"content_type\":")
        JSONWriter.appendQuoted(contentType, to: &text)
        text.append(raw: ",\"revpos\":\(revisionPosition)")
    }

    fileprivate func appendFollowing(to text: inout [UInt8]) {
        appendHead(to: &text)
        // The digest of packed bytes would be no digest of what is sent.
        if !isPacked, !digest.isEmpty {
            text.append(raw: ",\"digest\":")
            JSONWriter.appendQuoted(digest, to: &text)
        }
        text.append(raw: ",\"length\":\(length),\"follows\":true}")
    }

    fileprivate func appendInline(_ bytes: [UInt8], to text: inout [UInt8]) {
        appendHead(to: &text)
        text.append(raw: ",\"data\":\"")
        Base64.append(bytes, to: &text)
        text.append(raw: "\"}")
    }
}

extension ReplicationFailure {
    /// The failure with its cause, when the target refused a document for want of bytes that the source has not either.
    func explained(by documents: [ReplicatedDocument]) -> ReplicationFailure {
        guard error == Peer.missingStub else { return self }
        let document = documents.first {
            $0.id.utf8.elementsEqual(id.utf8) && (revision == nil || revision == $0.revision)
        }
        guard let names = document?.absentAttachments, !names.isEmpty else { return self }
        return ReplicationFailure(
            id: id, revision: revision, status: status, error: error,
            reason:
                "\(reason). The bytes of \(names.joined(separator: ", ")) are at neither side: they were left where "
                + "the document was pulled from. Fetch them from there, and replicate again.")
    }
}
