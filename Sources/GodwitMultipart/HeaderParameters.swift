//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The parameters behind a header's value: `; name=value; name="quoted value"` (RFC 9110, section 5.6.6).
struct HeaderParameters: Sendable, Hashable {
    private struct Parameter: Sendable, Hashable {
        let name: String
        let value: String
    }

    private var parameters: [Parameter] = []

    /// Reads the elements that semicolons separate.
    ///
    /// An empty element and one without a value are passed over; an unquoted value may hold what no token may.
    ///
    /// - Returns: `nil` when a name is no token or a quote does not end.
    init?(_ elements: some Sequence<ArraySlice<UInt8>>) {
        for element in elements {
            guard let equals = element.firstIndex(of: .equals) else { continue }
            let name = element[..<equals].trimmed
            guard name.isToken, let value = element[(equals + 1)...].trimmed.unquoted else { return nil }
            parameters.append(Parameter(name: name.text.lowercased(), value: value))
        }
    }

    /// The value of the first parameter of this name, which is given in lower case.
    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }
}
