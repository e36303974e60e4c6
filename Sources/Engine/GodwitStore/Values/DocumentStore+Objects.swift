//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension DocumentStore {
    /// Saves a Swift value as a new document.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - id: The document's id. If it is `nil`, one is assigned.
    ///   - attachments: The attachments by name.
    /// - Returns: The value with the id and revision of its document.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` if a document with this id exists,
    ///   ``StoreError/Code/invalidJSON`` for a number that is not finite, ``StoreError/Code/invalidDocument`` for any
    ///   other value that a document cannot contain, ``StoreError/Code/documentTooLarge`` if the body is longer than
    ///   the store's limit.
    public func save<Value: DocumentObject>(
        _ value: Value, id: String? = nil, attachments: Attachments = [:]
    ) async throws(StoreError) -> TypedDocument<Value> {
        let document = try await create(Document(encoding: value, id: id, attachments: attachments))
        return try TypedDocument(document, value: value)
    }

    /// Saves a new revision of a document that was read as a Swift value.
    ///
    /// Stored members that the type does not define are kept.
    ///
    /// - Parameter document: The document with the revision that was read.
    /// - Returns: The document with its new revision.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` if the document was changed in the meantime, and
    ///   the errors of ``save(_:id:attachments:)`` for a value that a document cannot contain.
    public func save<Value: DocumentObject>(
        _ document: TypedDocument<Value>
    ) async throws(StoreError) -> TypedDocument<Value> {
        let saved = try await update(Document(encoding: document))
        return try TypedDocument(saved, value: document.value)
    }

    /// Deletes a revision. If the document has no other live leaf, this deletes the document. Otherwise, it deletes
    /// only this leaf of the conflict.
    ///
    /// - Parameter document: The document with the revision that was read.
    /// - Returns: The revision that records the deletion.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` if the document was changed in the meantime.
    @discardableResult
    public func delete<Value: DocumentObject>(_ document: TypedDocument<Value>) async throws(StoreError) -> RevisionID {
        try await delete(
            Document(
                id: document.id, revision: document.revision, isDeleted: false, body: [:], attachments: [:]))
    }
}
