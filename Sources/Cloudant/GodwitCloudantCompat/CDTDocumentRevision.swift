//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import Godwit

/// A revision of a document: its id, body and attachments.
///
/// Origin: `CDTDocumentRevision`. New: ``GodwitStore/Document``.
@available(*, deprecated, message: "Use Document.")
public class CDTDocumentRevision: NSCopying, NSMutableCopying, CustomStringConvertible {
    /// The id of the document; `nil` if an id is to be generated when the document is created.
    ///
    /// Origin: `docId`. New: ``GodwitStore/Document/id``.
    public var docId: String?
    /// The revision's id; `nil` before the revision is saved.
    ///
    /// Origin: `revId`. New: ``GodwitStore/Document/revision``.
    public internal(set) var revId: String?
    /// Whether the revision is a deletion.
    ///
    /// Origin: `deleted`. New: ``GodwitStore/Document/isDeleted``.
    public internal(set) var deleted = false
    /// The members of the document. A member whose name begins with an underscore cannot be saved.
    ///
    /// Origin: `body`. New: ``GodwitStore/Document/body``.
    public var body: [String: Any] { didSet { changed = true } }
    /// The attachments by their names.
    ///
    /// Origin: `attachments`. New: ``GodwitStore/Document/attachments``.
    public var attachments: [String: CDTAttachment] = [:] { didSet { changed = true } }
    /// The attachments whose names are canonically equivalent to names in ``attachments``, such as `é` of one and of two
    /// characters. A dictionary cannot contain both; they are saved unchanged.
    private var unlisted: Attachments = [:]
    /// The document's body as it was read, for the members that ``body`` cannot contain.
    private var original = JSONObject()
    /// Whether the body or the attachments were set since the revision was created, read or copied.
    ///
    /// Origin: `isChanged`. New: compare two values.
    public internal(set) var changed = false
    /// Whether the revision has all members of the document. A document that a query with `fields` returned has only
    /// some of its members, and cannot be saved.
    ///
    /// Origin: `isFullRevision`. New: ``GodwitStore/Document/revision`` is `nil` for such a document.
    public internal(set) var isFullRevision = true

    /// Creates a revision of a new document.
    ///
    /// Origin: `CDTDocumentRevision.revision()`, `init(docId:)`. New:
    /// ``GodwitStore/Document/init(id:body:attachments:)``.
    public init(docId: String? = nil) {
        self.docId = docId
        body = [:]
    }

    /// Creates a revision of a document that was read, to change the document.
    ///
    /// Origin: `init(docId:revisionId:body:attachments:)`. New: read the document, and change its value.
    public init(docId: String, revisionId: String?, body: [String: Any], attachments: [String: CDTAttachment] = [:]) {
        self.docId = docId
        revId = revisionId
        self.body = body
        self.attachments = attachments
    }

    /// Replaces the body.
    ///
    /// Origin: `setBody:`. New: ``GodwitStore/Document/body``.
    public func setBody(_ body: [String: Any]) { self.body = body }

    /// Returns the body as JSON.
    ///
    /// - Throws: ``CDTError`` with the code 493 if JSON cannot represent a value.
    ///
    /// Origin: `documentAsDataError:`. New: `JSONValue.object(document.body).jsonBytes()`.
    public func documentAsData() throws -> Data { Data(JSONValue.object(try json()).jsonBytes()) }

    /// Returns an equal revision.
    ///
    /// Origin: `copy`. New: ``GodwitStore/Document`` is a value.
    public func copy(with zone: NSZone? = nil) -> Any { duplicate(into: CDTDocumentRevision(docId: docId)) }

    /// Returns an equal revision that can be changed.
    ///
    /// Origin: `mutableCopyWithZone:`. New: ``GodwitStore/Document`` is a value.
    public func mutableCopy(with zone: NSZone?) -> Any {
        let copy: CDTMutableDocumentRevision = mutableCopy()
        return copy
    }

    /// Returns an equal revision that can be changed.
    ///
    /// Origin: `mutableCopy`. New: ``GodwitStore/Document`` is a value.
    public func mutableCopy() -> CDTMutableDocumentRevision {
        let copy = CDTMutableDocumentRevision()
        copy.docId = docId
        return duplicate(into: copy)
    }

    /// The id and the revision.
    ///
    /// Origin: `description`. New: ``GodwitStore/Document/id`` and ``GodwitStore/Document/revision``.
    public var description: String { "\(docId ?? "new") \(revId ?? "unsaved")" }

    private func duplicate<Revision: CDTDocumentRevision>(into copy: Revision) -> Revision {
        (copy.revId, copy.deleted, copy.body, copy.attachments) = (revId, deleted, body, attachments)
        (copy.unlisted, copy.original) = (unlisted, original)
        (copy.isFullRevision, copy.changed) = (isFullRevision, changed)
        return copy
    }

    convenience init(_ document: Document, of store: Datastore) {
        self.init(docId: document.id)
        revId = document.revision?.description
        deleted = document.isDeleted
        original = document.body
        body = FoundationValues.dictionary(original)
        for (name, attachment) in document.attachments {
            if attachments[name] == nil {
                attachments[name] = CDTSavedAttachment(name: name, attachment, of: store)
            } else {
                unlisted[name] = attachment
            }
        }
        changed = false
    }

    private func json() throws -> JSONObject {
        guard let object = FoundationValues.object(body, readFrom: original) else {
            throw CDTError(493, "The body has a value that is no JSON: a date, data, or a number that is not finite.")
        }
        return object
    }

    /// Returns the document to save.
    func document() throws -> Document {
        guard isFullRevision else {
            throw CDTError(400, "The revision has only some members of the document. Read the complete document first.")
        }
        let object = try json()
        if let name = object.keys.first(where: { $0.utf8.first == UInt8(ascii: "_") }) {
            throw CDTError(400, "The body has the reserved member \(name).")
        }
        var saved = unlisted
        for (name, attachment) in attachments { saved[name] = try attachment.attachment() }
        return Document(id: docId, body: object, attachments: saved)
    }

    /// Returns the parsed revision id.
    func revision() throws -> RevisionID {
        guard let revId, let revision = RevisionID(revId) else {
            throw CDTError(400, "The revision has no id: it was not read from a datastore.")
        }
        return revision
    }
}

/// A revision that can be changed.
///
/// Origin: `CDTMutableDocumentRevision`. New: ``GodwitStore/Document``.
@available(*, deprecated, message: "Use Document.")
public final class CDTMutableDocumentRevision: CDTDocumentRevision {
    /// Creates a revision of a new document.
    ///
    /// Origin: `CDTMutableDocumentRevision.revision()`. New: ``GodwitStore/Document/init(id:body:attachments:)``.
    public init() { super.init(docId: nil) }
}
