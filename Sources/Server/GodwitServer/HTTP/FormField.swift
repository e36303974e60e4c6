//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitTransport
import HTTPTypes

/// A field of a form that a page or a program sent as `multipart/form-data` (RFC 7578).
public struct FormField: Sendable {
    /// The name of the field.
    public let name: String
    /// The name of the file; `nil` for a field that is not a file.
    public let filename: String?
    /// The media type; `nil` if the client names none.
    public let contentType: String?
    /// The value, or the content of the file.
    public let bytes: [UInt8]

    /// The value as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The maximum number of fields of a form.
    static let countMax = 100
}

extension ServerRequest {
    /// Whether the body is a form of type `multipart/form-data`.
    public var isForm: Bool { formBoundary != nil }

    private var formBoundary: String? {
        guard let type = header(.contentType).flatMap({ MediaType($0) }), type.essence == "multipart/form-data" else {
            return nil
        }
        return type.boundary
    }

    /// Reads the fields of a form of type `multipart/form-data` into memory. Parts without a name are ignored.
    ///
    /// - Parameter bytesMax: The maximum length of the body.
    /// - Throws: ``HTTPFailure``. Its status is 415 for another content type or a missing boundary, 413 for a body
    ///   longer than `bytesMax`, and 400 for a malformed form or more than 100 fields. Also throws the errors of
    ///   ``collectBody(bytesMax:)``.
    public func collectForm(bytesMax: Int) async throws -> [FormField] {
        guard let boundary = formBoundary else {
            throw HTTPFailure(.unsupportedMediaType, "bad_content_type", "Content-Type must be multipart/form-data")
        }
        var reader = try MultipartReader(boundary: boundary)
        var (fields, headers, bytes): ([FormField], MultipartHeaders?, [UInt8]) = ([], nil, [])
        reader.append(try await collectBody(bytesMax: bytesMax))
        while let event = try reader.next() {
            switch event {
            case .headers(let received): (headers, bytes) = (received, [])
            case .body(let piece): bytes += piece
            case .partEnd:
                guard let part = headers, let name = part.disposition?.fieldName else { continue }
                guard fields.count < FormField.countMax else {
                    throw HTTPFailure.badRequest("a form may have at most \(FormField.countMax) fields")
                }
                fields.append(
                    FormField(name: name, filename: part.filename, contentType: part["Content-Type"], bytes: bytes))
            case .end: break
            }
        }
        try reader.finish()
        return fields
    }
}
