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
    ///   - id: The document's id; without one, it gets one.
    ///   - attachments: The attachments by name.
    /// - Returns: The value with the id and revision of its document.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` when the id is taken,
    ///   ``StoreError/Code/invalidJSON`` for a number that is not finite, ``StoreError/Code/invalidDocument`` for
    ///   another value that a document cannot hold, ``StoreError/Code/documentTooLarge`` when the body is above the
    ///   store's limit.
    public func save<Value: DocumentObject>(
        _ value: Value, id: String? = nil, attachments: [String: Attachment] = [:]
    ) async throws(StoreError) -> TypedDocument<Value> {
        let document = try await create(Document(encoding: value, id: id, attachments: attachments))
        return try TypedDocument(document, value: value)
    }

    /// Saves a new revision of a document that was read as a Swift value.
    ///
    /// Members that the type does not know stay as they are.
    ///
    /// - Parameter document: The document with the revision that it was read at.
    /// - Returns: The document with its new revision.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` when another write came first, and for a value
    ///   that a document cannot hold as for a new document.
    public func save<Value: DocumentObject>(
        _ document: TypedDocument<Value>
    ) async throws(StoreError) -> TypedDocument<Value> {
        let saved = try await update(Document(encoding: document))
        return try TypedDocument(saved, value: document.value)
    }

    /// Deletes a revision: the document, or one side of a conflict.
    ///
    /// - Parameter document: The document with the revision that it was read at.
    /// - Returns: The revision that records the deletion.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` when another write came first.
    @discardableResult
    public func delete<Value: DocumentObject>(_ document: TypedDocument<Value>) async throws(StoreError) -> RevisionID {
        try await delete(
            Document(
                id: document.id, revision: document.revision, isDeleted: false, body: [:], attachments: [:]))
    }
}
