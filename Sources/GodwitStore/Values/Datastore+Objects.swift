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
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when there never was one,
    ///   ``StoreError/Code/deleted`` when it was deleted, ``StoreError/Code/wrongDataType`` when it is of another type,
    ///   ``StoreError/Code/undecodable`` when a member is missing or is none of its type.
    public func object<Value: DocumentObject>(
        _ id: String, as type: Value.Type = Value.self
    ) throws(StoreError) -> TypedDocument<Value> {
        try TypedDocument(decoding: document(id))
    }
}
