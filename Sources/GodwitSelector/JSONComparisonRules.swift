//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The three ways in which CouchDB compares values in selectors.
enum JSONComparisonRules {
    /// The views' collation (`mango_json:cmp`).
    case collation
    /// Erlang's order of terms (`mango_json:cmp_raw`, and Erlang's `==`): strings by their bytes.
    case raw
    /// As ``raw``, but integers are never the same as doubles (Erlang's `=:=`).
    case exact

    /// Where a kind of value stands among the kinds.
    func rank(_ kind: JSONKind) -> Int {
        self == .collation ? Self.collationRank(kind) : Self.termRank(kind)
    }

    /// Compares the texts of two strings, as UTF-8.
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

    /// Numbers, atoms by their names, tuples, lists, binaries: what jiffy makes of JSON.
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
