//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// A document that was read as a Swift value.
///
/// A typed document is a value. To change the stored document, change a copy of this value and pass it to
/// ``Datastore/save(_:)``. A save keeps stored members that the type does not define, even in nested objects. Within
/// the elements of an array, such members are kept only if the array does not change.
public struct TypedDocument<Value: DocumentObject>: Sendable {
    /// The id, unique in its database.
    public let id: String

    /// The revision that was read.
    public let revision: RevisionID

    /// The decoded value.
    public var value: Value

    /// The attachments, keyed by name. A save keeps attachments that are still in this dictionary, and removes
    /// attachments that are no longer in it.
    public var attachments: Attachments

    /// The stored body.
    private let storedBody: JSONObject

    /// Decodes a document.
    ///
    /// - Parameter document: A document that was read from a datastore.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/wrongDataType`` if its `@datatype` is not the type's name,
    ///   ``StoreError/Code/undecodable`` if a member is missing or has the wrong type,
    ///   ``StoreError/Code/invalidDocument`` if it was never saved.
    public init(decoding document: Document) throws(StoreError) {
        try self.init(document, value: document.decoded(as: Value.self))
    }

    init(_ document: Document, value: Value) throws(StoreError) {
        guard let id = document.id, let revision = document.revision else {
            throw StoreError(.invalidDocument, "the document has not been saved: save its value first")
        }
        self.id = id
        self.revision = revision
        self.value = value
        attachments = document.attachments
        storedBody = document.body
    }

    /// The stored body, updated with the value's members. Members that the value no longer has are removed.
    func updatedBody() throws(StoreError) -> JSONObject {
        let stored = try Value.decoded(from: storedBody, id: id).documentBody()
        // The decoder may give a default value to a member that the stored body does not have, for example if newer
        // code added the member. Such a member is removed from the base of the merge. The merge then treats it as new,
        // and not as removed from the stored body.
        let base = stored.keepingMembers(of: storedBody)
        return try JSONObject.merged(base: base, ours: value.documentBody(), theirs: storedBody).object
    }
}

extension JSONObject {
    /// The object with only those members that another object also has. The same applies to nested objects.
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
    /// Creates a document from a Swift value. It is not saved yet.
    ///
    /// - Parameters:
    ///   - value: The value, which is encoded as the body with the member `@datatype`.
    ///   - id: The id. If it is `nil`, the store assigns one.
    ///   - attachments: The attachments by name.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidJSON`` for a number that is not finite,
    ///   ``StoreError/Code/invalidDocument`` for a date outside of the years 0 to 9999, and for a value that does not
    ///   encode to an object.
    public init<Value: DocumentObject>(
        encoding value: Value, id: String? = nil, attachments: Attachments = [:]
    ) throws(StoreError) {
        self.init(id: id, body: try value.documentBody(), attachments: attachments)
    }

    /// Creates the document with which a changed value is saved. It has the revision that was read.
    ///
    /// - Parameter document: The typed document.
    /// - Throws: The errors of ``init(encoding:id:attachments:)``.
    public init<Value: DocumentObject>(encoding document: TypedDocument<Value>) throws(StoreError) {
        self.init(
            id: document.id, revision: document.revision, isDeleted: false, body: try document.updatedBody(),
            attachments: document.attachments)
    }

    /// Decodes the body as a Swift value.
    ///
    /// - Parameter type: The type of the value.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/wrongDataType`` if the member `@datatype` is not the type's
    ///   name, ``StoreError/Code/undecodable`` if a member is missing or has the wrong type.
    public func decoded<Value: DocumentObject>(as type: Value.Type = Value.self) throws(StoreError) -> Value {
        try type.decoded(from: body, id: id)
    }
}
