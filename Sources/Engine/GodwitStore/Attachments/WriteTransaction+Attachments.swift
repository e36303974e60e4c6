//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

extension WriteTransaction {
    /// The attachments of the leaf `revision`.
    func attachments(of row: DocumentRow, revision: RevisionID) throws -> [AttachmentRecord] {
        if revision == row.winner.revision { return row.attachments }
        return try documents.leafBody(number: row.number, revision: revision)?.attachments ?? []
    }

    /// Stores the attachments of a new revision.
    ///
    /// - Parameters:
    ///   - incoming: The attachments of the incoming document.
    ///   - parent: The attachments of the parent, which stubs refer to.
    ///   - generation: The generation of the new revision.
    ///   - isReplicated: Whether the revision is replicated. An attachment of a replicated revision keeps its given
    ///     `revpos`, and the `revpos` of a stub may differ from the `revpos` in the parent.
    ///   - id: The document's id, for the error message.
    /// - Throws: ``StoreError``, among others with these codes:
    ///   - ``StoreError/Code/missingStub`` if a stub names an attachment that the parent does not have.
    ///   - ``StoreError/Code/missingStub`` if the revision is not replicated and the `revpos` of a stub differs from
    ///     the `revpos` in the parent.
    ///   - ``StoreError/Code/missingStub`` if the bytes of a known attachment are not in this database.
    ///   - ``StoreError/Code/invalidDocument`` if bytes that should follow the document were not sent.
    ///   - ``StoreError/Code/notFound`` if uploaded bytes were removed.
    func store(
        _ incoming: [IncomingDocument.Attachment], parent: [AttachmentRecord], generation: Int,
        isReplicated: Bool = false, id: String
    ) throws -> [AttachmentRecord] {
        guard !incoming.isEmpty else { return [] }
        try group.ensure(.blobs)
        try group.ensure(.chunks)
        return try incoming.map { attachment in
            var record = try record(attachment, parent: parent, generation: generation, isReplicated, id: id)
            if isReplicated, let position = attachment.revisionPosition { record.revisionPosition = position }
            if !record.blob.isAbsent { try blobs.addUse(record.blob.number) }
            return record
        }
    }

    /// Removes the references from a revision's attachments to their bytes. Called when the revision is removed.
    func release(_ attachments: [AttachmentRecord]) throws {
        for attachment in attachments where !attachment.blob.isAbsent {
            if try blobs.removeUse(attachment.blob.number) == 0 { group.memory.freesBlobs = true }
        }
    }

    /// Returns the record of an incoming attachment. Stores bytes that are in memory.
    ///
    /// - Throws: The errors of ``store(_:parent:generation:isReplicated:id:)``.
    private func record(
        _ attachment: IncomingDocument.Attachment, parent: [AttachmentRecord], generation: Int, _ isReplicated: Bool,
        id: String
    ) throws -> AttachmentRecord {
        switch attachment {
        case .stub(let name, let position):
            guard let parentRecord = parent.first(where: { $0.isNamed(name) }),
                isReplicated || position == nil || position == parentRecord.revisionPosition
            else {
                throw StoreError(.missingStub, "Invalid attachment stub in \(id) for \(name)")
            }
            return parentRecord
        case .inline(let name, let contentType, let bytes, _):
            return AttachmentRecord(
                name: name, contentType: contentType, blob: try blobs.store(bytes), revisionPosition: generation)
        case .known(let name, let contentType, let blob):
            if let parentRecord = parent.first(where: {
                $0.isNamed(name) && blob.isSame(as: $0.blob) && $0.contentType.isIdenticalText(to: contentType)
            }) {
                return parentRecord
            }
            guard !blob.isAbsent else {
                throw StoreError(
                    .missingStub,
                    "the bytes of \(name) are only in the database that its document was pulled from. Fetch them, "
                        + "read the document again, and repeat the change.")
            }
            guard let blob = try blobs.find(digest: blob.digest) else { throw StoreError.bytesElsewhere(name) }
            return AttachmentRecord(name: name, contentType: contentType, blob: blob, revisionPosition: generation)
        case .following(let name, _, _):
            throw StoreError(
                .invalidDocument,
                "Attachment '\(name)' must follow the document, but does not. Send multipart/related.")
        case .stored(let name, let contentType, let blob, _):
            try uploadIsUsed(blob)
            return AttachmentRecord(name: name, contentType: contentType, blob: blob, revisionPosition: generation)
        case .absent(let name, let contentType, let blob, _):
            // If the parent has the same bytes under this name, the parent's blob is used.
            let parentRecord = parent.first { $0.isNamed(name) && blob.isSame(as: $0.blob) }
            return AttachmentRecord(
                name: name, contentType: contentType, blob: parentRecord?.blob ?? blob, revisionPosition: generation)
        }
    }
}

extension IncomingDocument.Attachment {
    /// The `revpos` in the incoming document: the generation in which the bytes were added. The value is `nil` if the
    /// document does not contain `revpos`, and for a stub or a known attachment.
    fileprivate var revisionPosition: Int? {
        switch self {
        case .inline(_, _, _, let position), .stored(_, _, _, let position), .following(_, _, let position): position
        case .absent(_, _, _, let position): position
        case .stub, .known: nil
        }
    }
}
