//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The disposition and the name of a part: `Content-Disposition: attachment; filename="photo.png"` (RFC 6266).
package struct ContentDisposition: Sendable, Hashable {
    /// The kind in lower case, for example `attachment`.
    package let kind: String

    private let parameters: HeaderParameters

    /// Parses the header's value.
    ///
    /// - Returns: `nil` when the kind is not a token or a parameter is malformed.
    package init?(_ text: String) {
        let elements = Array(text.utf8)[...].splitOutsideQuotes(at: .semicolon)
        guard elements[0].isToken, let parameters = HeaderParameters(elements.dropFirst()) else { return nil }
        kind = elements[0].text.lowercased()
        self.parameters = parameters
    }

    /// The file name. It is the value of the parameter `filename*` (RFC 5987) if this parameter can be decoded, and
    /// otherwise the value of the parameter `filename`. `nil` when neither parameter gives a name.
    ///
    /// The sender chooses the name. Check the name before you use it as a path.
    package var filename: String? {
        parameters["filename*"].flatMap { ExtendedValue.decoded($0) } ?? parameters["filename"]
    }

    /// The name of the form field of the part, which is the parameter `name`; `nil` if this parameter is missing.
    package var fieldName: String? { parameters["name"] }

    /// Returns the header's value for an attachment. For a name without control characters, quotes and backslashes, the
    /// value has CouchDB's form.
    ///
    /// Quotes and backslashes are escaped. Control characters are replaced by underscores, so that no name can start
    /// another header. If a character was replaced, the value also contains the parameter `filename*` with the original
    /// name.
    package static func attachment(filename: String) -> String {
        let plain = filename.utf8.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "_") : $0 }[...].text
        let value = "attachment; filename=\(plain.quoted)"
        return plain.utf8.elementsEqual(filename.utf8)
            ? value : value + "; filename*=\(ExtendedValue.encoded(filename))"
    }
}
