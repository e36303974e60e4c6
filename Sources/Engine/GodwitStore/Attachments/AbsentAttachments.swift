//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// A replication may omit the bytes of large attachments. Such an attachment is called absent. Its record contains the
// length and the MD5 that the peer reported, the number 0, and zeros in place of the SHA-256. An absent attachment has
// no row in `blobs`, and the revisions that refer to it are not counted. It is rendered as a stub, and later revisions
// keep it like any other attachment.
//
// An absent attachment can be kept only in its original document and under its original name. The reason is that it is
// sent to the peer as a stub, which contains only the name. In another document, or under another name, the peer would
// replace the stub with a different attachment, or would find none.

extension StoredBlob {
    /// Describes bytes that are not stored here; `nil` if the digest is not an MD5 in CouchDB's form, or if `length` is
    /// negative or greater than ``lengthMax``.
    package static func absent(length: Int, md5Text: String) -> StoredBlob? {
        guard length <= lengthMax, let announced = AnnouncedBytes(length: length, md5Text: md5Text) else { return nil }
        return StoredBlob(number: 0, length: length, digest: [UInt8](repeating: 0, count: 32), md5: announced.md5)
    }

    /// Whether the bytes are not stored here.
    package var isAbsent: Bool { number == 0 }

    /// Whether another blob has the same bytes. If one of the two blobs is absent, their lengths and MD5s are compared.
    /// If both are stored, their SHA-256s are compared.
    func isSame(as other: StoredBlob) -> Bool {
        isAbsent ? length == other.length && md5 == other.md5 : digest == other.digest
    }
}

extension AttachmentRecord {
    /// Whether the attachment has this name. The bytes of the names are compared. Therefore, two names with different
    /// bytes are different, even if they are canonically equivalent in Unicode.
    package func isNamed(_ other: String) -> Bool { name.utf8.elementsEqual(other.utf8) }
}

/// An attachment of a leaf. A peer that has one of ``knownRevisions`` may have the bytes of the attachment.
package struct LeafAttachment: Sendable {
    /// The description of the attachment, with the location of its bytes if they are stored.
    package let record: AttachmentRecord
    /// The leaf.
    package let revision: RevisionID
    /// The leaf, and the revision that added the bytes if it is known. A peer that has one of these revisions may have
    /// the bytes.
    package let knownRevisions: [RevisionID]
}

extension DocumentTable {
    /// An attachment of a leaf.
    ///
    /// - Parameter revision: The leaf; `nil` for the winner.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the document, the leaf or the attachment is
    ///   absent.
    package func leafAttachment(_ name: String, of id: String, at revision: RevisionID?) throws -> LeafAttachment {
        guard let row = try row(id: id) else { throw StoreError.missing(id: id) }
        let leaf = revision ?? row.winner.revision
        guard row.hasLeaf(leaf), let stored = try self.revision(leaf, of: row) else {
            throw StoreError(.notFound, "\(leaf) is not a leaf of \(id). Only attachments of leaves can be fetched.")
        }
        guard let record = stored.attachments.first(where: { $0.isNamed(name) }) else {
            throw StoreError(.notFound, "\(id) has no attachment \(name)")
        }
        let tree = try fullTree(of: row)
        let path = tree.index(of: leaf).map(tree.path) ?? []
        let origin = path.first { $0.generation == record.revisionPosition }
        return LeafAttachment(
            record: record, revision: leaf, knownRevisions: [leaf] + (origin.map { $0 == leaf ? [] : [$0] } ?? []))
    }
}

extension WriteTransaction {
    /// Stores the bytes of an absent attachment in those leaves of a document that have the attachment.
    ///
    /// Does not create a revision, but moves the document to the end of the changes. Therefore, waiting feeds and
    /// replications that could not transfer the attachment read the document again.
    ///
    /// - Returns: The attachment with its bytes; `nil` if no leaf has the absent attachment any longer.
    package func fill(_ absent: AttachmentRecord, of id: String, with blob: StoredBlob) throws -> AttachmentRecord? {
        try checkIsOpen()
        guard let row = try documents.row(id: id) else { return nil }
        var newRow = row
        var filledRecord = try fillRecord(in: &newRow.attachments, absent, with: blob)
        for leaf in row.otherLeaves {
            guard var stored = try documents.leafBody(number: row.number, revision: leaf.revision),
                let otherRecord = try fillRecord(in: &stored.attachments, absent, with: blob)
            else { continue }
            let addition = Addition(revision: leaf.revision, attachments: stored.attachments, body: stored.body)
            try documents.insertBody(addition, number: row.number)
            filledRecord = filledRecord ?? otherRecord
        }
        guard let filledRecord else { return nil }
        try replaceRow(row, by: newRow)
        try uploadIsUsed(blob)
        return filledRecord
    }

    private func fillRecord(
        in records: inout [AttachmentRecord], _ absent: AttachmentRecord, with blob: StoredBlob
    ) throws -> AttachmentRecord? {
        let index = records.firstIndex {
            $0.blob.isAbsent && $0.isNamed(absent.name) && absent.blob.isSame(as: $0.blob)
        }
        guard let index else { return nil }
        records[index].blob = blob
        try blobs.addUse(blob.number)
        return records[index]
    }
}

extension StoreError {
    static var absentAttachment: StoreError {
        StoreError(
            .notFound,
            "the attachment's bytes are only in the database that its document was pulled from (attachmentBytesMax). "
                + "Fetch them with fetch(_:of:from:).")
    }
}
