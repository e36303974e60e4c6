//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite

/// Maps the fields of documents to the columns of an index's FTS5 table.
///
/// An index of named fields has a column for each field. An index of all fields assigns a column to each path when the
/// path first occurs, until only one column is left. These assignments never change. (In an index of a function, the
/// first column is assigned to `default`.) All further paths share the last column. If a field has a separate column,
/// FTS5 alone can answer a query for this field. For the other fields, the shared column provides candidates, which are
/// tested again.
///
/// Two alternatives were rejected:
///
/// - One column for all fields. Every query that names a field would have to test candidates. This took more than a
///   second for a word in half of 100 000 documents.
/// - Words combined with the names of their fields. The index would contain twice as many words. In addition, it would
///   be difficult to prevent that a phrase matches words of two fields.
struct TextColumns {
    enum ColumnLocation: Equatable {
        case column(Int)
        /// The shared column, which contains the words of all paths that have no separate column.
        case shared(Int)
        /// No document has this path, or the index does not cover it.
        case absent
    }

    /// The number of the table's columns, without the `mark` column.
    let count: Int
    private var columns: [ExactText: Int] = [:]
    /// The types that are indexed for each path; `nil` if all paths and types are indexed.
    private let types: [ExactText: Set<TextIndexDefinition.Field.Kind>]?

    init(_ definition: TextIndexDefinition) {
        guard let fields = definition.fields else {
            (count, types) = (TextLimits.columnsMax, nil)
            if definition.isOfFunctions { columns[ExactText(TextIndexDefinition.defaultField)] = 0 }
            return
        }
        var types: [ExactText: Set<TextIndexDefinition.Field.Kind>] = [:]
        for field in fields {
            let path = ExactText(TextPath.normalized(field.name))
            if columns[path] == nil { columns[path] = columns.count }
            types[path, default: []].insert(field.type)
        }
        (count, self.types) = (columns.count, types)
    }

    /// Whether paths get columns when they first occur.
    var isGrowing: Bool { types == nil }

    /// Whether another path would get a separate column.
    private var hasCapacity: Bool { columns.count < count - 1 }

    /// Returns the column that contains the words of a path.
    func position(of path: String) -> ColumnLocation {
        if let column = columns[ExactText(path)] { return .column(column) }
        return isGrowing && !hasCapacity ? .shared(count - 1) : .absent
    }

    /// Returns for each column the factor by which its hits count in the score. The result is empty if all factors are
    /// 1.
    ///
    /// - Parameter paths: The boosts of fields. Fields in the shared column have no boost.
    func boosts(_ paths: [ExactText: Double]) -> [Double] {
        guard paths.values.contains(where: { $0 != 1 }) else { return [] }
        var boosts = [Double](repeating: 1, count: count)
        for (path, boost) in paths { if let column = columns[path] { boosts[column] = boost } }
        return boosts
    }

    /// Whether a column of this number exists.
    func has(_ column: Int) -> Bool { (0..<count).contains(column) }

    mutating func add(_ path: String, at column: Int) { columns[ExactText(path)] = column }

    /// Returns the column for a value to be indexed. A new path gets a separate column if one is available.
    ///
    /// - Returns: The column, and whether it is newly assigned; `nil` when the value is not indexed.
    mutating func column(for path: String, _ kind: JSONKind) -> (number: Int, isNew: Bool)? {
        let path = ExactText(path)
        if let types {
            guard types[path]?.contains(Self.type(kind)) == true else { return nil }
            return columns[path].map { ($0, false) }
        }
        if let column = columns[path] { return (column, false) }
        guard hasCapacity else { return (count - 1, false) }
        columns[path] = columns.count
        invariant(columns.count < count, "the last column is shared")
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
