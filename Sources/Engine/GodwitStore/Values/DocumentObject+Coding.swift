//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension DocumentObject {
    /// Encodes the value as a body.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidJSON`` for a number that is not finite,
    ///   ``StoreError/Code/invalidDocument`` if the value cannot be encoded as an object for another reason.
    func documentBody() throws(StoreError) -> JSONObject {
        let encoded: JSONValue
        do {
            encoded = try ValueEncoder.encode(self, at: [])
        } catch {
            throw Self.encodingFailure(error)
        }
        guard let members = encoded.objectValue else {
            throw StoreError(.invalidDocument, "\(Self.self) cannot be a document: it does not encode to an object")
        }
        return JSONObject(
            [(documentTypeMember, .string(Self.dataType))]
                + members.filter { !$0.key.isIdenticalText(to: documentTypeMember) }.map { ($0.key, $0.value) })
    }

    /// Decodes a value from a body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - id: The document's id, for error messages.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/wrongDataType`` or ``StoreError/Code/undecodable``.
    static func decoded(from body: JSONObject, id: String?) throws(StoreError) -> Self {
        let subject = id.map { "the document \($0)" } ?? "the document"
        guard body[documentTypeMember] == .string(dataType) else {
            let found = body[documentTypeMember].map { $0.stringValue ?? "not a string" } ?? "none"
            throw StoreError(
                .wrongDataType,
                "\(subject) has another type: its \(documentTypeMember) must be \(dataType) but is \(found)")
        }
        do {
            return try ValueDecoder.decode(Self.self, from: .object(body), at: [])
        } catch {
            throw decodingFailure(error, subject: subject)
        }
    }

    /// Converts an encoding error. Foundation's own descriptions are not used, because they may quote the value.
    private static func encodingFailure(_ error: any Error) -> StoreError {
        switch error {
        case let error as StoreError:
            return StoreError(error.code, "\(self) cannot be saved: \(error.message)")
        case EncodingError.invalidValue(let value, let context):
            let subject = "\(self) cannot be saved: the \(type(of: value)) at \(context.codingPath.text)"
            if value is any Numeric, (value as? any JSONScalar)?.scalar == nil {
                return StoreError(.invalidJSON, "\(subject) is not finite")
            }
            return StoreError(.invalidDocument, "\(subject) cannot be stored in a document")
        default: return StoreError(.invalidDocument, "\(self) cannot be saved: it cannot be encoded", cause: error)
        }
    }

    private static func decodingFailure(_ error: any Error, subject: String) -> StoreError {
        let reason: String
        switch error {
        case let error as StoreError: reason = error.message
        case DecodingError.typeMismatch(let type, let context):
            reason = "\(context.codingPath.text) is not a value of type \(type)"
        case DecodingError.valueNotFound(let type, let context):
            reason = "\(context.codingPath.text) has no value but must be \(type)"
        case DecodingError.keyNotFound(let key, let context):
            reason = "\((context.codingPath + [key]).text) is missing"
        case DecodingError.dataCorrupted(let context): reason = "\(context.codingPath.text) is not valid"
        default:
            return StoreError(.undecodable, "\(subject) is not a valid \(self)", cause: error)
        }
        return StoreError(.undecodable, "\(subject) is not a valid \(self): \(reason)")
    }
}

private let documentTypeMember = StoredForm.dataTypeMember
