//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// A document as a client or a peer sent it: checked completely once, before it waits for the writer.
package struct IncomingDocument: Sendable {
    /// An attachment as it comes with a document.
    package enum Attachment: Sendable {
        /// Unchanged: the bytes are those that the parent has under this name. A position that is given is the parent's.
        case stub(name: String, revisionPosition: Int? = nil)
        /// Bytes that the database has, of this or another revision. Absent ones stay with the name that the parent has
        /// them under.
        case known(name: String, contentType: String, blob: StoredBlob)
        /// The bytes themselves; of a replicated document, with the generation in which they came (`revpos`).
        case inline(name: String, contentType: String, bytes: [UInt8], revisionPosition: Int? = nil)
        /// Bytes that were uploaded before; of a replicated document, with the generation in which they came.
        case stored(name: String, contentType: String, blob: StoredBlob, revisionPosition: Int? = nil)
        /// Bytes that a replication leaves where they are.
        case absent(name: String, contentType: String, blob: StoredBlob, revisionPosition: Int)
        /// The bytes come behind the document (`follows`): whoever reads them puts what was stored in its place.
        case following(name: String, contentType: String, revisionPosition: Int?)

        package var name: String {
            switch self {
            case .stub(let name, _), .inline(let name, _, _, _), .stored(let name, _, _, _), .known(let name, _, _),
                .following(let name, _, _), .absent(let name, _, _, _):
                name
            }
        }
    }

    /// `_id`; `nil` when there is none.
    package var id: String?
    /// `_rev`: the revision that the edit changes.
    package var revision: RevisionID?
    /// `_deleted`.
    package var isDeleted: Bool
    /// `_revisions` of a replicated revision: itself and its ancestors, the youngest first; empty when there is none.
    package var path: [RevisionID]
    /// `_attachments`; `nil` when there is none.
    package var attachments: [Attachment]?
    /// The body's JSON without members that begin with an underscore.
    package let body: [UInt8]
    /// The canonical form of the body, for the id of the new revision; empty for a replicated one.
    package let canonicalBody: [UInt8]
    /// The revision that this edit makes of a parent, when it is known already.
    private var prepared: (parent: RevisionID?, isDeleted: Bool, revision: RevisionID)?

    /// Makes a document from parts that are known to be good.
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

    /// What a document is made of.
    package enum Purpose: Sendable {
        /// An edit, which gets a new revision id.
        case edit
        /// A revision made elsewhere, with its id (`new_edits: false`).
        case replication
    }

    /// Checks and takes apart a document.
    ///
    /// - Parameters:
    ///   - tape: A scanned text.
    ///   - index: Where in it the document is.
    ///   - purpose: Whether the document gets a new revision id.
    ///   - limits: The store's limits.
    /// - Throws: ``StoreError`` in CouchDB's words when a rule is broken.
    package init(
        _ tape: JSONTape, at index: Int, purpose: Purpose, limits: StoreLimits
    ) throws(StoreError) {
        guard tape.kind(index) == .object else {
            throw StoreError(.invalidRequest, "Document must be a JSON object")
        }
        var members = ReservedMembers()
        try members.read(tape, of: index)
        id = members.id
        if let id { try DocumentID.check(id, limits: limits) }
        isDeleted = members.isDeleted
        attachments = members.attachments
        let path = try members.path(limits: limits)
        switch purpose {
        case .edit:
            revision = members.revision ?? path.first
            // What an edit follows is its parent in the database, whatever its history says.
            self.path = []
        case .replication:
            // As in CouchDB, the history says which revision it is, where `_rev` says another one.
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

    /// Scans and takes apart one document's text.
    package init(parsing text: [UInt8], purpose: Purpose, limits: StoreLimits) throws(StoreError) {
        let tape: JSONTape
        do {
            tape = try JSONTape(scanning: text, limits: limits.json)
        } catch {
            throw StoreError(json: error)
        }
        try self.init(tape, at: 0, purpose: purpose, limits: limits)
    }

    /// The object's text without reserved members; the bytes stay as they came, unless a member occurs twice.
    private static func body(_ tape: JSONTape, of index: Int, hasReserved: Bool) -> [UInt8] {
        let hasDuplicates = tape.hasDuplicateMembers(in: index)
        // The renderer relies on it that an object without members has no spaces.
        if !hasReserved, !hasDuplicates, tape.count(of: index) > 0 { return Array(tape.slice(index)) }
        if hasDuplicates { return bodyWithoutDuplicates(tape, of: index) }
        var body: [UInt8] = []
        body.reserveCapacity(tape.range(index).count)
        body.append(UInt8(ascii: "{"))
        // Members that stand side by side are one run of bytes.
        var run: Range<Int>?
        for (key, value) in tape.members(of: index) {
            if !ReservedMembers.isReserved(key, in: tape) {
                run = (run?.lowerBound ?? tape.range(key).lowerBound)..<tape.range(value).upperBound
            } else if let ended = run {
                append(ended, of: tape, to: &body)
                run = nil
            }
        }
        if let run { append(run, of: tape, to: &body) }
        body.append(UInt8(ascii: "}"))
        return body
    }

    private static func append(_ run: Range<Int>, of tape: JSONTape, to body: inout [UInt8]) {
        if body.count > 1 { body.append(UInt8(ascii: ",")) }
        body.append(contentsOf: tape.bytes[run])
    }

    /// The rare case of a top-level member that occurs twice: the last one wins, at its own place.
    private static func bodyWithoutDuplicates(_ tape: JSONTape, of index: Int) -> [UInt8] {
        // By bytes: two names that Unicode takes for equal are two members.
        var last: [[UInt8]: Int] = [:]
        for (key, value) in tape.members(of: index) { last[Array(tape.string(key).utf8)] = value }
        var body: [UInt8] = [UInt8(ascii: "{")]
        for (key, value) in tape.members(of: index)
        where !ReservedMembers.isReserved(key, in: tape) && last[Array(tape.string(key).utf8)] == value {
            if body.count > 1 { body.append(UInt8(ascii: ",")) }
            body.append(contentsOf: tape.slice(key))
            body.append(UInt8(ascii: ":"))
            tape.appendWithoutDuplicates(value, to: &body)
        }
        body.append(UInt8(ascii: "}"))
        return body
    }
}

extension StoreError {
    static func documentTooLarge(id: String?, limits: StoreLimits) -> StoreError {
        StoreError(
            .documentTooLarge,
            id.map { "\($0): the body is above \(limits.bodyBytesMax) bytes" }
                ?? "the body is above \(limits.bodyBytesMax) bytes")
    }
}

extension IncomingDocument {
    /// Computes the id of the new revision on the caller's thread, where the writer need not wait for it.
    package mutating func prepare() {
        guard attachments?.isEmpty != false else { return }
        prepared = (revision, isDeleted, derived(parent: revision, attachments: []))
    }

    /// The id of the revision that this edit makes of a parent.
    func derived(parent: RevisionID?, attachments: [AttachmentRecord]) -> RevisionID {
        if let prepared, attachments.isEmpty, prepared.parent == parent, prepared.isDeleted == isDeleted {
            return prepared.revision
        }
        return RevisionID.derived(
            parent: parent, isDeleted: isDeleted, attachments: attachments.map(\.fingerprint),
            canonicalBody: canonicalBody)
    }

    /// An edit of a stored revision that changes nothing yet.
    package init(editing stored: StoredRevision, limits: StoreLimits) throws(StoreError) {
        var edit = try IncomingDocument(parsing: stored.body, purpose: .edit, limits: limits)
        edit.id = stored.id
        edit.revision = stored.revision
        edit.attachments = stored.attachments.map { .stub(name: $0.name) }
        self = edit
    }

    /// A new document like a stored revision, which may be of another document of the same database.
    package init(copying stored: StoredRevision, limits: StoreLimits) throws(StoreError) {
        var copy = try IncomingDocument(parsing: stored.body, purpose: .edit, limits: limits)
        copy.attachments = stored.attachments.map { record in
            .known(name: record.name, contentType: record.contentType, blob: record.blob)
        }
        self = copy
    }

    /// Adds an attachment, in place of one of the same name.
    package mutating func setAttachment(_ attachment: Attachment) {
        removeAttachment(attachment.name)
        attachments = (attachments ?? []) + [attachment]
    }

    /// Takes an attachment away.
    ///
    /// - Returns: Whether there was one of this name.
    @discardableResult
    package mutating func removeAttachment(_ name: String) -> Bool {
        let before = attachments?.count ?? 0
        attachments?.removeAll { $0.name == name }
        return attachments?.count ?? 0 < before
    }
}
