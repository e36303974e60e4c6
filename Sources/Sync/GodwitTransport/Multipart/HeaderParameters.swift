//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The parameters after a header's value: `; name=value; name="quoted value"` (RFC 9110, section 5.6.6).
struct HeaderParameters: Sendable, Hashable {
    private struct Parameter: Sendable, Hashable {
        let name: String
        let value: String
    }

    private var parameters: [Parameter] = []

    /// Parses the elements into which a header was split at its semicolons.
    ///
    /// An element without an equals sign is ignored. An unquoted value may contain characters that are not allowed in a
    /// token.
    ///
    /// - Returns: `nil` when a name is not a token, or a value that begins with a quote does not end with one.
    init?(_ elements: some Sequence<ArraySlice<UInt8>>) {
        for element in elements {
            guard let equalsIndex = element.firstIndex(of: .equals) else { continue }
            let name = element[..<equalsIndex].trimmed
            guard name.isToken, let value = element[(equalsIndex + 1)...].trimmed.unquoted else { return nil }
            parameters.append(Parameter(name: name.text.lowercased(), value: value))
        }
    }

    /// The value of the first parameter with a name; `nil` when there is none. The name must be in lower case.
    subscript(name: String) -> String? { parameters.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
}
