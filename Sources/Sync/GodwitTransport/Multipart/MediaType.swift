//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A media type with its parameters, as in `Content-Type: multipart/related; boundary="4f"` (RFC 9110, section 8.3.1).
///
/// ```swift
/// MediaType(#"Multipart/Related; boundary="4f""#)?.boundary  // "4f"
/// ```
package struct MediaType: Sendable, Hashable {
    /// The type in lower case, for example `multipart`.
    package let type: String

    /// The subtype in lower case, for example `related`.
    package let subtype: String

    private let parameters: HeaderParameters

    /// Parses a media type, or a range such as `text/*`.
    ///
    /// - Returns: `nil` when the text does not begin with a token, a slash and another token, or when a parameter is
    ///   malformed.
    package init?(_ text: String) { self.init(Array(text.utf8)[...]) }

    init?(_ text: ArraySlice<UInt8>) {
        let elements = text.splitOutsideQuotes(at: .semicolon)
        let names = elements[0].split(separator: .slash, omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy(\.isToken), let parameters = HeaderParameters(elements.dropFirst())
        else { return nil }
        type = names[0].text.lowercased()
        subtype = names[1].text.lowercased()
        self.parameters = parameters
    }

    /// The type and the subtype, without parameters.
    package var essence: String { "\(type)/\(subtype)" }

    /// The value of the first parameter with a name; `nil` when there is none. The name must be in lower case.
    package subscript(parameter name: String) -> String? { parameters[name] }

    /// Whether the body consists of parts.
    package var isMultipart: Bool { type == "multipart" }

    /// The boundary between the parts; `nil` when the parameter is missing or the type is not multipart.
    package var boundary: String? { isMultipart ? parameters["boundary"] : nil }
}
