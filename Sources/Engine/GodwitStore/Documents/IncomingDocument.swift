//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// A document from a client or a peer. All checks that need no access to the database are made once, before the
/// document waits for the writer.
package struct IncomingDocument: Sendable {
    /// An attachment of an incoming document.
    package enum Attachment: Sendable {
        /// The attachment that the parent has under this name, unchanged. If `revpos` is given, it must be the parent's
        /// `revpos`.
        case stub(name: String, revisionPosition: Int? = nil)
        /// An attachment whose description was read from the database, from the parent or from any other revision. If
        /// its bytes are not in the database (an absent attachment), the parent must contain it under the same name.
        case known(name: String, contentType: String, blob: StoredBlob)
        /// The bytes. For a replicated document, the generation in which they were added (`revpos`) is also given.
        case inline(name: String, contentType: String, bytes: [UInt8], revisionPosition: Int? = nil)
        /// Bytes that were uploaded before. For a replicated document, the generation in which they were added is also
        /// given.
        case stored(name: String, contentType: String, blob: StoredBlob, revisionPosition: Int? = nil)
        /// An attachment whose bytes the replication does not transfer.
        case absent(name: String, contentType: String, blob: StoredBlob, revisionPosition: Int)
        /// The bytes follow the document (`follows`). The caller that reads these bytes replaces this case with
        /// `stored`.
        case following(name: String, contentType: String, revisionPosition: Int?)

        /// The attachment's name.
        package var name: String {
            switch self {
            case .stub(let name, _), .inline(let name, _, _, _), .stored(let name, _, _, _), .known(let name, _, _),
                .following(let name, _, _), .absent(let name, _, _, _):
                name
            }
        }
    }

    /// `_id`; `nil` if it is absent.
    package var id: String?
    /// `_rev`: the revision that the edit changes.
    package var revision: RevisionID?
    /// `_deleted`.
    package var isDeleted: Bool
    /// `_revisions` of a replicated revision: the revision and its ancestors, the youngest first; empty if it is
    /// absent.
    package var path: [RevisionID]
    /// `_attachments`; `nil` if it is absent.
    package var attachments: [Attachment]?
    /// The body's JSON without reserved members. The body may contain members with names `_replication_…`, which are
    /// not reserved.
    package let body: [UInt8]
    /// The canonical form of the body, for the id of the new revision; empty for a replicated revision.
    package let canonicalBody: [UInt8]
    /// The precomputed revision id of this edit, with the parent and deletion flag that it was computed for.
    private var prepared: (parent: RevisionID?, isDeleted: Bool, revision: RevisionID)?

    /// Creates a document from valid parts, without checks.
    package init(
        id: String?, revision: RevisionID? = nil, isDeleted: Bool = false, path: [RevisionID] = [],
        attachments: [Attachment]? = nil, body: [UInt8] = Array("{}".utf8), canonicalBody: [UInt8] = Array("{}".utf8)
    ) {
        self.id = id
        self.revision = revision
        self.isDeleted = isDeleted
        self.path = path
        self.attachments = attachments
        self.body = body
        self.canonicalBody = canonicalBody
    }

    /// The purpose for which a document is parsed.
    package enum Purpose: Sendable {
        /// An edit, which gets a new revision id.
        case edit
        /// A revision that was created in another database, with its id (`new_edits: false`).
        case replication
    }

    /// Checks and parses a document.
    ///
    /// - Parameters:
    ///   - tape: A scanned text.
    ///   - index: The index of the document in the tape.
    ///   - purpose: Whether the document gets a new revision id.
    ///   - limits: The store's limits.
    ///   - streamed: The data of inline attachments that is not in the text.
    /// - Throws: ``StoreError`` with CouchDB's message if the document is invalid.
    package init(
        _ tape: JSONTape, at index: Int, purpose: Purpose, limits: StoreLimits,
        streamed: StreamedAttachments = StreamedAttachments()
    ) throws(StoreError) {
        guard tape.kind(index) == .object else {
            throw StoreError(.invalidRequest, "Document must be a JSON object")
        }
        var members = ReservedMembers(streamed)
        try members.read(tape, of: index)
        id = members.id
        if let id { try DocumentID.check(id, limits: limits) }
        isDeleted = members.isDeleted
        attachments = members.attachments
        let path = try members.path(limits: limits)
        switch purpose {
        case .edit:
            revision = members.revision ?? path.first
            // The parent of an edit is a revision in the database, so the history in the edit's text is ignored.
            self.path = []
        case .replication:
            // As in CouchDB, `_revisions` takes precedence over `_rev`.
            revision = path.first ?? members.revision
            self.path = path
            guard path.allSatisfy(\.isStorable), revision?.isStorable != false else {
                throw StoreError(.invalidRevision, "Invalid rev format")
            }
        }
        body = IncomingDocument.body(tape, of: index, hasReserved: members.count > 0)
        guard body.count <= limits.bodyBytesMax else { throw .documentTooLarge(id: id, limits: limits) }
        var canonical: [UInt8] = []
        if purpose == .edit {
            canonical.reserveCapacity(body.count)
            tape.appendCanonical(index, droppingUnderscoredMembers: true, to: &canonical)
        }
        canonicalBody = canonical
    }

    /// Scans, checks and parses the text of one document.
    package init(parsing text: [UInt8], purpose: Purpose, limits: StoreLimits) throws(StoreError) {
        let tape: JSONTape
        do {
            tape = try JSONTape(scanning: text, limits: limits.json)
        } catch {
            throw StoreError(json: error)
        }
        try self.init(tape, at: 0, purpose: purpose, limits: limits)
    }

    /// The object's text without reserved members. If no member occurs twice, the bytes are unchanged.
    private static func body(_ tape: JSONTape, of index: Int, hasReserved: Bool) -> [UInt8] {
        let hasDuplicates = tape.hasDuplicateMembers(in: index)
        // An empty object is not copied, because it may contain spaces, and the renderer requires `{}`.
        if !hasReserved, !hasDuplicates, tape.count(of: index) > 0 { return Array(tape.slice(index)) }
        if hasDuplicates { return bodyWithoutDuplicates(tape, of: index) }
        var body: [UInt8] = []
        body.reserveCapacity(tape.range(index).count)
        body.append(UInt8(ascii: "{"))
        // Adjacent members are copied as one run of bytes.
        var copiedRange: Range<Int>?
        for (key, value) in tape.members(of: index) {
            if !ReservedMembers.isReserved(key, in: tape) {
                copiedRange = (copiedRange?.lowerBound ?? tape.range(key).lowerBound)..<tape.range(value).upperBound
            } else if let endedRange = copiedRange {
                append(endedRange, of: tape, to: &body)
                copiedRange = nil
            }
        }
        if let copiedRange { append(copiedRange, of: tape, to: &body) }
        body.append(UInt8(ascii: "}"))
        return body
    }

    private static func append(_ copiedRange: Range<Int>, of tape: JSONTape, to body: inout [UInt8]) {
        if body.count > 1 { body.append(UInt8(ascii: ",")) }
        body.append(contentsOf: tape.bytes[copiedRange])
    }

    /// The body of a document with a duplicate top-level member. Only the last occurrence of the member is kept, at its
    /// position.
    private static func bodyWithoutDuplicates(_ tape: JSONTape, of index: Int) -> [UInt8] {
        // The keys of this dictionary are bytes, because two names that are canonically equivalent in Unicode are
        // different members.
        var lastValues: [[UInt8]: Int] = [:]
        for (key, value) in tape.members(of: index) { lastValues[Array(tape.string(key).utf8)] = value }
        var body: [UInt8] = [UInt8(ascii: "{")]
        for (key, value) in tape.members(of: index)
        where !ReservedMembers.isReserved(key, in: tape) && lastValues[Array(tape.string(key).utf8)] == value {
            if body.count > 1 { body.append(UInt8(ascii: ",")) }
            body.append(contentsOf: tape.slice(key))
            body.append(UInt8(ascii: ":"))
            tape.appendWithoutDuplicates(value, to: &body)
        }
        body.append(UInt8(ascii: "}"))
        return body
    }
}

extension [IncomingDocument.Attachment] {
    /// The bytes of the attachments that were uploaded before their document.
    package var uploadedBlobs: [StoredBlob] {
        compactMap { if case .stored(_, _, let blob, _) = $0 { blob } else { nil } }
    }
}

extension StoreError {
    static func documentTooLarge(id: String?, limits: StoreLimits) -> StoreError {
        StoreError(
            .documentTooLarge,
            id.map { "\($0): the body is larger than \(limits.bodyBytesMax) bytes" }
                ?? "the body is larger than \(limits.bodyBytesMax) bytes")
    }
}

extension IncomingDocument {
    /// Computes the id of the new revision. This runs on the caller's thread, so that the writer has less work. Does
    /// nothing if the document has attachments.
    package mutating func prepare() {
        guard attachments?.isEmpty != false else { return }
        prepared = (revision, isDeleted, derived(parent: revision, attachments: []))
    }

    /// The id of the revision that this edit creates from a parent.
    func derived(parent: RevisionID?, attachments: [AttachmentRecord]) -> RevisionID {
        if let prepared, attachments.isEmpty, prepared.parent == parent, prepared.isDeleted == isDeleted {
            return prepared.revision
        }
        return RevisionID.derived(
            parent: parent, isDeleted: isDeleted, attachments: attachments.map(\.fingerprint),
            canonicalBody: canonicalBody)
    }

    /// Creates an edit that repeats a stored revision without changes.
    package init(editing stored: StoredRevision, limits: StoreLimits) throws(StoreError) {
        var edit = try IncomingDocument(parsing: stored.body, purpose: .edit, limits: limits)
        edit.id = stored.id
        edit.revision = stored.revision
        edit.attachments = stored.attachments.map { .stub(name: $0.name) }
        self = edit
    }

    /// Creates a new document as a copy of a stored revision of the same database. The copy has no id; the caller sets
    /// it.
    package init(copying stored: StoredRevision, limits: StoreLimits) throws(StoreError) {
        var copy = try IncomingDocument(parsing: stored.body, purpose: .edit, limits: limits)
        copy.attachments = stored.attachments.map { record in
            .known(name: record.name, contentType: record.contentType, blob: record.blob)
        }
        self = copy
    }

    /// The bytes of the attachments that were uploaded before the document.
    package var uploadedBlobs: [StoredBlob] { attachments?.uploadedBlobs ?? [] }

    /// Adds an attachment. Replaces an attachment with the same name.
    package mutating func setAttachment(_ attachment: Attachment) {
        removeAttachment(attachment.name)
        attachments = (attachments ?? []) + [attachment]
    }

    /// Removes an attachment.
    ///
    /// - Returns: Whether an attachment had this name.
    @discardableResult
    package mutating func removeAttachment(_ name: String) -> Bool {
        let previousCount = attachments?.count ?? 0
        attachments?.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
        return attachments?.count ?? 0 < previousCount
    }
}
