//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON

/// A document: a JSON object with an id, a revision and attachments.
///
/// A value: change a copy and hand it to ``DocumentStore/update(_:)``.
public struct Document: Sendable {
    /// The id, unique in its database. Given by the store when a document is created without one.
    public let id: String?

    /// The revision at which it was read; `nil` for one that was never saved.
    public let revision: RevisionID?

    /// Whether this revision is a deletion.
    public let isDeleted: Bool

    /// The members, without those that begin with an underscore, which belong to the store.
    public var body: JSONObject

    /// The attachments by name. Those that are left alone are carried forward; those that are removed are gone from
    /// the next revision.
    public var attachments: [String: Attachment]

    /// Makes a document that is not saved yet.
    public init(id: String? = nil, body: JSONObject, attachments: [String: Attachment] = [:]) {
        self.init(id: id, revision: nil, isDeleted: false, body: body, attachments: attachments)
    }

    package init(
        id: String?, revision: RevisionID?, isDeleted: Bool, body: JSONObject, attachments: [String: Attachment]
    ) {
        self.id = id
        self.revision = revision
        self.isDeleted = isDeleted
        self.body = body
        self.attachments = attachments
    }

    /// The document of a stored revision.
    package init(_ stored: StoredRevision) throws(StoreError) {
        self.init(
            id: stored.id, revision: stored.revision, isDeleted: stored.leaf.isDeleted,
            body: try Document.members(of: stored.body, id: stored.id),
            // Names that Unicode takes for equal are one key to Swift; a peer may have sent both.
            attachments: Dictionary(
                stored.attachments.map { ($0.name, Attachment($0)) }, uniquingKeysWith: { _, last in last }))
    }

    /// The members of a stored body.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` when it is no JSON any more.
    static func members(of body: [UInt8], id: String) throws(StoreError) -> JSONObject {
        do {
            return try JSONValue(parsing: body).objectValue ?? [:]
        } catch {
            throw .damagedDocument(id)
        }
    }
}
