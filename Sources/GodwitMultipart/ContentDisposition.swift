//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How a part is to be taken, and its name: `Content-Disposition: attachment; filename="photo.png"` (RFC 6266).
package struct ContentDisposition: Sendable, Hashable {
    /// The kind in lower case, for example `attachment`.
    package let kind: String

    private let parameters: HeaderParameters

    /// Reads the header's value.
    ///
    /// - Returns: `nil` when the kind is no token or a parameter is malformed.
    package init?(_ text: String) {
        let elements = Array(text.utf8)[...].splitOutsideQuotes(at: .semicolon)
        guard elements[0].isToken, let parameters = HeaderParameters(elements.dropFirst()) else { return nil }
        kind = elements[0].text.lowercased()
        self.parameters = parameters
    }

    /// The name given: `filename*` (RFC 5987) when it can be read, otherwise `filename`.
    ///
    /// It is what the sender says; whoever uses it as a path must check it.
    package var filename: String? {
        parameters["filename*"].flatMap { ExtendedValue.decoded($0) } ?? parameters["filename"]
    }

    /// The field of a form that a part is (`name`).
    package var fieldName: String? { parameters["name"] }

    /// The header's value for an attachment, as CouchDB writes it where the name is plain.
    ///
    /// Quotes and backslashes are escaped. Control characters become low lines, and the true name follows as
    /// `filename*`, so that no name can begin another header.
    package static func attachment(filename: String) -> String {
        let plain = filename.utf8.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "_") : $0 }[...].text
        let value = "attachment; filename=\(plain.quoted)"
        return plain.utf8.elementsEqual(filename.utf8)
            ? value : value + "; filename*=\(ExtendedValue.encoded(filename))"
    }
}
