//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite

/// Maps the fields of documents to the columns of an index's FTS5 table.
///
/// An index of named fields has a column for each. An index of all fields permanently assigns columns to paths as they
/// first occur, until all but one are assigned (for an index of a function, the first one is assigned to `default`).
/// All further paths share the last column. FTS5 alone answers a query for a field with a separate column. For other
/// fields, the shared column provides candidates, which are tested again.
///
/// Rejected alternatives: one column for all fields, with candidates tested for every query that names a field (for a
/// word in half of 100 000 documents this took more than a second); field names combined with the words (a phrase must
/// not cross them, and the index contains twice as many words).
struct TextColumns {
    enum ColumnLocation: Equatable {
        case column(Int)
        /// The shared column of the paths without a separate one.
        case shared(Int)
        /// No document has this path, or the index does not cover it.
        case absent
    }

    /// The number of the table's columns, without the `mark` column.
    let count: Int
    private var columns: [String: Int] = [:]
    /// The types that are indexed for each path; `nil` for every path and type.
    private let types: [String: Set<TextIndexDefinition.Field.Kind>]?

    init(_ definition: TextIndexDefinition) {
        guard let fields = definition.fields else {
            (count, types) = (TextLimits.columnsMax, nil)
            if definition.isOfFunctions { columns[TextIndexDefinition.defaultField] = 0 }
            return
        }
        var types: [String: Set<TextIndexDefinition.Field.Kind>] = [:]
        for field in fields {
            let path = TextPath.normalized(field.name)
            if columns[path] == nil { columns[path] = columns.count }
            types[path, default: []].insert(field.type)
        }
        (count, self.types) = (columns.count, types)
    }

    /// Whether paths get columns as they occur.
    var isGrowing: Bool { types == nil }

    /// Whether another path would get a separate column.
    private var hasCapacity: Bool { columns.count < count - 1 }

    /// Returns the column that contains the words of a path.
    func position(of path: String) -> ColumnLocation {
        if let column = columns[path] { return .column(column) }
        return isGrowing && !hasCapacity ? .shared(count - 1) : .absent
    }

    /// Returns the factor of each column's hits in the score; empty if all factors are 1.
    ///
    /// - Parameter paths: The boosts of fields. Fields in the shared column have no boost.
    func boosts(_ paths: [String: Double]) -> [Double] {
        guard paths.values.contains(where: { $0 != 1 }) else { return [] }
        var boosts = [Double](repeating: 1, count: count)
        for (path, boost) in paths { if let column = columns[path] { boosts[column] = boost } }
        return boosts
    }

    mutating func add(_ path: String, at column: Int) { columns[path] = column }

    /// Returns the column for a value to be indexed. A new path gets a separate column if one is available.
    ///
    /// - Returns: The column, and whether it is newly assigned; `nil` when the value is not indexed.
    mutating func column(for path: String, _ kind: JSONKind) -> (number: Int, isNew: Bool)? {
        if let types {
            guard types[path]?.contains(Self.type(kind)) == true else { return nil }
            return columns[path].map { ($0, false) }
        }
        if let column = columns[path] { return (column, false) }
        guard hasCapacity else { return (count - 1, false) }
        columns[path] = columns.count
        return (columns.count - 1, true)
    }

    private static func type(_ kind: JSONKind) -> TextIndexDefinition.Field.Kind {
        switch kind {
        case .true, .false: .boolean
        case .integer, .double: .number
        default: .string
        }
    }
}
