//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// A document that was read as a Swift value.
///
/// A value: change a copy and hand it to ``Datastore/save(_:)``. Members of the stored body that the type does not know
/// survive, in nested objects too; those in the elements of an array survive unless the array changes.
public struct TypedDocument<Value: DocumentObject>: Sendable {
    /// The id, unique in its database.
    public let id: String

    /// The revision at which it was read.
    public let revision: RevisionID

    /// What the body holds.
    public var value: Value

    /// The attachments by name. Those that are left alone are carried forward; those that are removed are gone from
    /// the next revision.
    public var attachments: [String: Attachment]

    /// The body as it was stored.
    private let storedBody: JSONObject

    /// Reads a document as a Swift value.
    ///
    /// - Parameter document: A document that was read from a datastore.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/wrongDataType`` when its `@datatype` is another,
    ///   ``StoreError/Code/undecodable`` when a member is missing or is none of its type,
    ///   ``StoreError/Code/invalidDocument`` when it was never saved.
    public init(decoding document: Document) throws(StoreError) {
        try self.init(document, value: document.decoded(as: Value.self))
    }

    init(_ document: Document, value: Value) throws(StoreError) {
        guard let id = document.id, let revision = document.revision else {
            throw StoreError(.invalidDocument, "the document was never saved: save its value")
        }
        self.id = id
        self.revision = revision
        self.value = value
        attachments = document.attachments
        storedBody = document.body
    }

    /// The stored body with the value's members in it; those that the value lost are gone.
    func updatedBody() throws(StoreError) -> JSONObject {
        let stored = try Value.decoded(from: storedBody, id: id).documentBody()
        // A member that decoding made up, such as one that newer code added, counts as new, or the merge would take it
        // for one that the stored side removed.
        let base = stored.keepingMembers(of: storedBody)
        return try JSONObject.merged(base: base, ours: value.documentBody(), theirs: storedBody).object
    }
}

extension JSONObject {
    /// The object without the members that another one lacks, in nested objects too.
    fileprivate func keepingMembers(of other: JSONObject) -> JSONObject {
        JSONObject(
            compactMap { name, value in
                guard let twin = other[name] else { return nil }
                guard case .object(let members) = value, case .object(let twins) = twin else { return (name, value) }
                return (name, .object(members.keepingMembers(of: twins)))
            })
    }
}

extension Document {
    /// Makes a document of a Swift value that is not saved yet.
    ///
    /// - Parameters:
    ///   - value: What becomes the body, with the member `@datatype`.
    ///   - id: The id; without one, the store gives one.
    ///   - attachments: The attachments by name.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidJSON`` for a number that is not finite,
    ///   ``StoreError/Code/invalidDocument`` for a date outside of the years 0 to 9999, and for a value that does not
    ///   encode to an object.
    public init<Value: DocumentObject>(
        encoding value: Value, id: String? = nil, attachments: [String: Attachment] = [:]
    ) throws(StoreError) {
        self.init(id: id, body: try value.documentBody(), attachments: attachments)
    }

    /// Makes the document that saving a changed value would save, at the revision that it was read at.
    ///
    /// - Parameter document: The document as a Swift value.
    /// - Throws: ``StoreError`` as ``init(encoding:id:attachments:)`` does.
    public init<Value: DocumentObject>(encoding document: TypedDocument<Value>) throws(StoreError) {
        self.init(
            id: document.id, revision: document.revision, isDeleted: false, body: try document.updatedBody(),
            attachments: document.attachments)
    }

    /// Reads the body as a Swift value.
    ///
    /// - Parameter type: The type.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/wrongDataType`` when the member `@datatype` is another,
    ///   ``StoreError/Code/undecodable`` when a member is missing or is none of its type.
    public func decoded<Value: DocumentObject>(as type: Value.Type = Value.self) throws(StoreError) -> Value {
        try type.decoded(from: body, id: id)
    }
}
