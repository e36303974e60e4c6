//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// A field to sort by, or one of an index.
public struct QueryField: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The field's name; inner ones with dots, as in a selector.
    public let name: String
    /// Whether the highest value comes first.
    public let isDescending: Bool

    /// A field, the lowest value first.
    public static func ascending(_ name: String) -> QueryField { QueryField(name: name, isDescending: false) }

    /// A field, the highest value first.
    public static func descending(_ name: String) -> QueryField { QueryField(name: name, isDescending: true) }

    package init(name: String, isDescending: Bool) {
        self.name = name
        self.isDescending = isDescending
    }

    /// A field, the lowest value first.
    public init(stringLiteral name: String) { self.init(name: name, isDescending: false) }

    /// As Mango writes it: `{"name":"asc"}`.
    package var json: JSONValue { .object(JSONObject([(name, .string(isDescending ? "desc" : "asc"))])) }
}
