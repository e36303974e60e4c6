//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// A replication may leave the bytes of large attachments where they are. Such an attachment is absent: its record has the
// length and the MD5 that the other side told, the number 0 and zeros for the SHA-256. It has no row in `blobs`, and
// nothing counts its uses. It shows as a stub, and the next revisions keep it as they keep any other.
//
// It stays at the document and the name where it came to be: only there can it be told to the other side by a stub. A
// stub says nothing but the name, so that anywhere else the other side would take it for whatever it has under that name.

extension StoredBlob {
    /// Bytes that are elsewhere, as their owner describes them; `nil` when the digest is no MD5, by which they could be
    /// told again.
    package static func absent(length: Int, md5Text: String) -> StoredBlob? {
        guard let told = AnnouncedBytes(length: length, md5Text: md5Text) else { return nil }
        return StoredBlob(number: 0, length: length, digest: [UInt8](repeating: 0, count: 32), md5: told.md5)
    }

    /// Whether the bytes are elsewhere.
    package var isAbsent: Bool { number == 0 }

    /// Whether another blob has these bytes, as far as can be told of absent ones. An absent one has none of bytes that
    /// are here.
    func isSame(as other: StoredBlob) -> Bool {
        isAbsent ? length == other.length && md5 == other.md5 : digest == other.digest
    }
}

extension AttachmentRecord {
    /// Whether it has a name, by bytes: two names that Unicode takes for equal are two names here.
    package func isNamed(_ other: String) -> Bool { name.utf8.elementsEqual(other.utf8) }
}

/// An attachment of a leaf, and how another database may know it.
package struct LeafAttachment: Sendable {
    package let record: AttachmentRecord
    /// The leaf.
    package let revision: RevisionID
    /// The revision with which the bytes came, and the leaf: whoever has one of them may have the bytes.
    package let knownRevisions: [RevisionID]
}

extension DocumentTable {
    /// An attachment of a leaf.
    ///
    /// - Parameter revision: The leaf; the winner when it is `nil`.
    package func leafAttachment(_ name: String, of id: String, at revision: RevisionID?) throws -> LeafAttachment {
        guard let row = try row(id: id) else { throw StoreError.missing(id: id) }
        let leaf = revision ?? row.winner.revision
        guard row.hasLeaf(leaf), let stored = try self.revision(leaf, of: row) else {
            throw StoreError(.notFound, "\(leaf) is no leaf of \(id). Only attachments of leaves can be fetched.")
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
    /// Gives an absent attachment its bytes, in each leaf of a document that has it.
    ///
    /// No revision is made, but the document moves to the end of the changes: a replication that could not bring it on for
    /// want of the bytes sees it again, and so does whoever waits for them.
    ///
    /// - Returns: The attachment with its bytes; `nil` when no leaf lacks it any more.
    package func fill(_ absent: AttachmentRecord, of id: String, with blob: StoredBlob) throws -> AttachmentRecord? {
        try checkIsOpen()
        guard let row = try documents.row(id: id) else { return nil }
        var changed = row
        var filled = try fill(&changed.attachments, absent, with: blob)
        for leaf in row.otherLeaves {
            guard var stored = try documents.leafBody(number: row.number, revision: leaf.revision),
                let other = try fill(&stored.attachments, absent, with: blob)
            else { continue }
            let addition = Addition(revision: leaf.revision, attachments: stored.attachments, body: stored.body)
            try documents.insertBody(addition, number: row.number)
            filled = filled ?? other
        }
        guard let filled else { return nil }
        try write(changed, over: row)
        try uploadIsUsed(blob)
        return filled
    }

    private func fill(
        _ records: inout [AttachmentRecord], _ absent: AttachmentRecord, with blob: StoredBlob
    ) throws -> AttachmentRecord? {
        let place = records.firstIndex {
            $0.blob.isAbsent && $0.isNamed(absent.name) && absent.blob.isSame(as: $0.blob)
        }
        guard let place else { return nil }
        records[place].blob = blob
        try blobs.addUse(blob.number)
        return records[place]
    }
}

extension StoreError {
    static var absentAttachment: StoreError {
        StoreError(
            .notFound,
            "the attachment was left where its document was pulled from (attachmentBytesMax). "
                + "Fetch it from there: fetch(_:of:from:).")
    }
}
