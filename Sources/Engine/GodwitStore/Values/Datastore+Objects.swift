//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Datastore {
    /// Reads a document's winning revision as a Swift value.
    ///
    /// - Parameters:
    ///   - id: The document's id.
    ///   - type: The type of the value.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the document never existed,
    ///   ``StoreError/Code/deleted`` if it was deleted, ``StoreError/Code/wrongDataType`` if it has another type,
    ///   ``StoreError/Code/undecodable`` if a member is missing or has the wrong type.
    public func object<Value: DocumentObject>(
        _ id: String, as type: Value.Type = Value.self
    ) throws(StoreError) -> TypedDocument<Value> {
        try TypedDocument(decoding: document(id))
    }
}
