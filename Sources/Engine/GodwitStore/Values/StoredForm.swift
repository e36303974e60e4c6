//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// The stored form of single Swift values within a ``DocumentObject``'s document, for comparisons with stored data.
package enum StoredForm {
    /// The member of a body that names its type.
    package static let dataTypeMember = "@datatype"

    /// Encodes a value in its stored form.
    ///
    /// - Throws: `EncodingError`, ``StoreError`` or the value's own error if a document cannot contain it.
    package static func encode(_ value: some Encodable) throws -> JSONValue {
        try ValueEncoder.encode(value, at: [])
    }

    /// Decodes a value from its stored form.
    ///
    /// - Throws: `DecodingError`, ``StoreError`` or the type's own error if the stored form is not a value of the type.
    package static func decode<Value: Decodable>(_ type: Value.Type, from value: JSONValue) throws -> Value {
        try ValueDecoder.decode(type, from: value, at: [])
    }
}
