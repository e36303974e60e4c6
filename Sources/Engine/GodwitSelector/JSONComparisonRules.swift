//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The three orders in which CouchDB compares values in selectors.
enum JSONComparisonRules {
    /// The views' collation (`mango_json:cmp`).
    case collation
    /// Erlang's term order (`mango_json:cmp_raw`, and Erlang's `==`): strings compare by their bytes.
    case raw
    /// As ``raw``, but integers never equal doubles (Erlang's `=:=`).
    case exact

    /// Returns the position of a kind of value in the order of kinds.
    func rank(_ kind: JSONKind) -> Int {
        self == .collation ? Self.collationRank(kind) : Self.termRank(kind)
    }

    /// Compares two strings in UTF-8.
    func compareTexts(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> JSONOrder {
        if self == .collation { return RootCollator.compare(left, right) }
        if left.elementsEqual(right) { return .same }
        return left.lexicographicallyPrecedes(right) ? .before : .after
    }

    /// Compares two numbers.
    func compareNumbers(_ left: JSONNumber, _ right: JSONNumber) -> JSONOrder {
        let order = left.compare(right)
        guard self == .exact, order == .same else { return order }
        return JSONOrder(of: left.isDouble ? 1 : 0, relativeTo: right.isDouble ? 1 : 0)
    }

    private static func collationRank(_ kind: JSONKind) -> Int {
        switch kind {
        case .null: 0
        case .false: 1
        case .true: 2
        case .integer, .double: 3
        case .string: 4
        case .array: 5
        case .object: 6
        }
    }

    /// Returns the position in the order of the Erlang terms that jiffy creates from JSON: numbers, atoms by name,
    /// tuples, lists, binaries.
    private static func termRank(_ kind: JSONKind) -> Int {
        switch kind {
        case .integer, .double: 0
        case .false: 1
        case .null: 2
        case .true: 3
        case .object: 4
        case .array: 5
        case .string: 6
        }
    }
}
