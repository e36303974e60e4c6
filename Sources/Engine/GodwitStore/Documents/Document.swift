//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON

/// A document: a JSON object with an id, a revision and attachments.
///
/// A document is a value. To change the stored document, change a copy of this value and pass it to
/// ``DocumentStore/update(_:)``.
public struct Document: Sendable {
    /// The id, unique in its database. The store assigns one if a document is created without it.
    public let id: String?

    /// The revision that was read; `nil` if the document was never saved.
    public let revision: RevisionID?

    /// Whether this revision is a deletion.
    public let isDeleted: Bool

    /// The members except reserved members, whose names begin with an underscore. A document of a replicator can have
    /// members with names `_replication_…`, but an update that contains such members is rejected.
    public var body: JSONObject

    /// The attachments, keyed by name. An update keeps attachments that are still in this table, and removes those that
    /// are no longer in it.
    public var attachments: Attachments

    /// Creates a document that is not saved yet.
    public init(id: String? = nil, body: JSONObject, attachments: Attachments = [:]) {
        self.init(id: id, revision: nil, isDeleted: false, body: body, attachments: attachments)
    }

    /// Creates a document from its content and the revision at which it was read.
    ///
    /// - Parameters:
    ///   - id: The id; `nil` for a random id when the document is saved.
    ///   - revision: The revision that was read; `nil` for a new document.
    ///   - isDeleted: Whether this revision is a deletion.
    ///   - body: The members, except those that begin with an underscore.
    ///   - attachments: The attachments, keyed by name.
    package init(
        id: String?, revision: RevisionID?, isDeleted: Bool, body: JSONObject, attachments: Attachments
    ) {
        self.id = id
        self.revision = revision
        self.isDeleted = isDeleted
        self.body = body
        self.attachments = attachments
    }

    /// Creates the document of a stored revision.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if its body is damaged.
    package init(_ stored: StoredRevision) throws(StoreError) {
        self.init(
            id: stored.id, revision: stored.revision, isDeleted: stored.leaf.isDeleted,
            body: try Document.members(of: stored.body, id: stored.id),
            attachments: Attachments(stored.attachments.map { ($0.name, Attachment($0)) }))
    }

    /// The members of a stored body.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if it is not valid JSON.
    static func members(of body: [UInt8], id: String) throws(StoreError) -> JSONObject {
        do {
            return try JSONValue(parsing: body).objectValue ?? [:]
        } catch {
            throw .damagedDocument(id)
        }
    }
}
