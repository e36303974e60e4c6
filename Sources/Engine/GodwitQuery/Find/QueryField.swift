//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON

/// A field of an index, or of a query's order, with its direction.
public struct QueryField: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name of the field. The name of a field of an inner object is a dotted path, as in a selector.
    public let name: String
    /// Whether the highest value comes first.
    public let isDescending: Bool

    /// Whether two fields have the same direction, and names with the same bytes.
    public static func == (left: QueryField, right: QueryField) -> Bool {
        left.name.isIdenticalText(to: right.name) && left.isDescending == right.isDescending
    }

    /// Feeds the bytes of the name, and the direction, into a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(name))
        hasher.combine(isDescending)
    }

    /// Returns a field in ascending order.
    public static func ascending(_ name: String) -> QueryField { QueryField(name: name, isDescending: false) }

    /// Returns a field in descending order.
    public static func descending(_ name: String) -> QueryField { QueryField(name: name, isDescending: true) }

    /// Creates a field from its dotted path and its direction.
    package init(name: String, isDescending: Bool) {
        self.name = name
        self.isDescending = isDescending
    }

    /// The field without the type that Cloudant's sort of a text search requires: `km:number`, `name:string`. The
    /// elements of a list, `names.[]:string`, are sorted as the list.
    var withoutType: QueryField {
        for type in [".[]:number", ".[]:string", ":number", ":string"]
        where name.ends(with: type) && name.utf8.count > type.utf8.count {
            return QueryField(
                name: String(decoding: name.utf8.dropLast(type.utf8.count), as: UTF8.self), isDescending: isDescending)
        }
        return self
    }

    /// Creates a field in ascending order.
    public init(stringLiteral name: String) { self.init(name: name, isDescending: false) }

    /// The field in Mango's notation: `{"name":"asc"}`.
    package var json: JSONValue { .object(JSONObject([(name, .string(isDescending ? "desc" : "asc"))])) }
}
