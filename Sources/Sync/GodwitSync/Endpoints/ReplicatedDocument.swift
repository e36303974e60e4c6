//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
public import GodwitStore
import GodwitTransport

/// A revision in transfer: its JSON with `_id`, `_rev`, `_revisions` and `_attachments`.
public struct ReplicatedDocument: Sendable {
    /// The document's id.
    public let id: String
    /// The revision.
    public let revision: RevisionID
    /// The JSON of the document.
    public let text: [UInt8]
    /// The attachments that the target needs and that are too large for the text. For these attachments, the text
    /// contains stubs.
    public var attachments: [ReplicatedAttachment]
    /// The attachments whose bytes arrived after the document. The text describes them with `"follows": true`.
    var arrived: [Arrived] = []
    /// The names of attachments that the target may need and whose bytes the source does not have. The list is empty if
    /// the source does not report which bytes it does not have.
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

    /// The length of the text plus the lengths of the attachments that arrived with it, in bytes.
    var bytes: Int { arrived.reduce(text.count) { $0 + $1.bytes.count } }

    /// The approximate number of bytes in memory.
    var heldBytes: Int { bytes + ReplicatedDocument.overheadBytes }

    private static let overheadBytes = 160

    /// Whether the document has attachments that are transferred separately.
    var isCarried: Bool { !attachments.isEmpty }
}

/// The description of an attachment in a replication.
public struct ReplicatedAttachment: Sendable {
    /// The name.
    public let name: String
    /// The media type.
    public let contentType: String
    /// The length of the decompressed bytes.
    public let length: Int
    /// CouchDB's digest, `md5-…`, of the bytes as the source stores them. The text is empty if the source does not
    /// report the digest.
    public let digest: String
    /// The generation of the revision that added the attachment.
    public let revisionPosition: Int
    /// Whether the source stores the bytes compressed with gzip, so that `digest` is a digest of the compressed bytes.
    public let isPacked: Bool

    /// The maximum length that is accepted, 1 TiB. With this maximum, the sum of the lengths of a document's
    /// attachments cannot overflow.
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
    /// The text in which the separate attachments are described with `"follows": true`, for a multipart body.
    var textWithFollowing: [UInt8] { text(of: attachments) { attachments[$0].appendFollowing(to: &$1) } }

    /// The text with the attachments that arrived with the document, in Base64.
    var textWithArrived: [UInt8] {
        guard !arrived.isEmpty else { return text }
        return text(of: arrived.map(\.attachment)) { index, text in
            arrived[index].attachment.appendInline(arrived[index].bytes, to: &text)
        }
    }

    /// The text of the document, in which some attachments have new descriptions.
    ///
    /// - Parameter append: Called with the index of the attachment. Appends its description.
    private func text(of attachments: [ReplicatedAttachment], _ append: (Int, inout [UInt8]) -> Void) -> [UInt8] {
        guard let tape = try? JSONTape(scanning: text, limits: .replicated),
            let members = tape.member("_attachments", of: 0)
        else { return text }
        var output: [UInt8] = []
        var copiedEnd = 0
        for (key, value) in tape.members(of: members) {
            let name = tape.string(key)
            guard let index = attachments.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                continue
            }
            let range = tape.range(value)
            output += text[copiedEnd..<range.lowerBound]
            append(index, &output)
            copiedEnd = range.upperBound
        }
        return output + text[copiedEnd...]
    }
}

extension ReplicatedAttachment {
    private func appendCommonMembers(to text: inout [UInt8]) {
        text.append(raw: "{\"content_type\":")
        JSONWriter.appendQuoted(contentType, to: &text)
        text.append(raw: ",\"revpos\":\(revisionPosition)")
    }

    fileprivate func appendFollowing(to text: inout [UInt8]) {
        appendCommonMembers(to: &text)
        // The bytes are sent uncompressed, so the digest of the compressed bytes would be wrong.
        if !isPacked, !digest.isEmpty {
            text.append(raw: ",\"digest\":")
            JSONWriter.appendQuoted(digest, to: &text)
        }
        text.append(raw: ",\"length\":\(length),\"follows\":true}")
    }

    fileprivate func appendInline(_ bytes: [UInt8], to text: inout [UInt8]) {
        appendCommonMembers(to: &text)
        text.append(raw: ",\"data\":\"")
        Base64.append(bytes, to: &text)
        text.append(raw: "\"}")
    }
}

extension ReplicationFailure {
    /// Adds an explanation to the reason of a failure. The explanation is added only if the target refused a document
    /// because attachment bytes are missing, and the source does not have these bytes either.
    func explained(by documents: [ReplicatedDocument]) -> ReplicationFailure {
        guard error == Peer.missingStub else { return self }
        let document = documents.first {
            $0.id.utf8.elementsEqual(id.utf8) && (revision == nil || revision == $0.revision)
        }
        guard let names = document?.absentAttachments, !names.isEmpty else { return self }
        return ReplicationFailure(
            id: id, revision: revision, status: status, error: error,
            reason:
                "\(reason). The bytes of \(names.joined(separator: ", ")) are in neither database, only in "
                + "the database that the document was pulled from. Fetch them, and replicate again.")
    }
}
