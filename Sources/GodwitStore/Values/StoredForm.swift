//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// How single Swift values look inside of a ``DocumentObject``'s document, for those who compare with what is stored.
package enum StoredForm {
    /// The member of a body that names its type.
    package static let dataTypeMember = "@datatype"

    /// A value as it is stored.
    ///
    /// - Throws: `EncodingError`, ``StoreError`` or what the value throws, when a document cannot hold it.
    package static func encode(_ value: some Encodable) throws -> JSONValue {
        try ValueEncoder.encode(value, at: [])
    }

    /// The Swift value of a stored one.
    ///
    /// - Throws: `DecodingError`, ``StoreError`` or what the type throws, when it is no value of the type.
    package static func decode<Value: Decodable>(_ type: Value.Type, from value: JSONValue) throws -> Value {
        try ValueDecoder.decode(type, from: value, at: [])
    }
}
