//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite

/// Which field of the documents is which column of an index's FTS5 table.
///
/// An index over named fields has a column for each. One over all fields gives columns to paths as they first occur, for
/// life, until all but one are taken (the first is `default`'s where functions give the fields); all further paths share that last one. A query for a field of its own column is
/// answered by FTS5 alone; for one of the others the shared column gives candidates, which are looked at again.
///
/// Rejected: one column for everything, with every query that names a field looking at its candidates again (a word in
/// half of 100 000 documents cost more than a second so); field names woven into the words (a phrase must not run over
/// them, and the index has twice the words).
struct TextColumns {
    enum ColumnLocation: Equatable {
        case column(Int)
        /// The column of the paths that have none of their own.
        case shared(Int)
        /// No document has this path, or the index does not cover it.
        case absent
    }

    /// How many columns the table has, without that of the mark.
    let count: Int
    private var columns: [String: Int] = [:]
    /// The types that are indexed of each path; `nil` for every path and type.
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

    /// Whether another path would get a column of its own.
    private var hasRoom: Bool { columns.count < count - 1 }

    /// Where the words of a path are.
    func position(of path: String) -> ColumnLocation {
        if let column = columns[path] { return .column(column) }
        return isGrowing && !hasRoom ? .shared(count - 1) : .absent
    }

    /// By how much the hits of each column count more; empty where all count the same.
    ///
    /// - Parameter paths: The boosts of fields. Those that share a column have none.
    func boosts(_ paths: [String: Double]) -> [Double] {
        guard paths.values.contains(where: { $0 != 1 }) else { return [] }
        var boosts = [Double](repeating: 1, count: count)
        for (path, boost) in paths { if let column = columns[path] { boosts[column] = boost } }
        return boosts
    }

    mutating func add(_ path: String, at column: Int) { columns[path] = column }

    /// The column for a value that is to be indexed; a new path gets one if there is room.
    ///
    /// - Returns: The column, and whether it is new; `nil` when the value is not indexed.
    mutating func column(for path: String, _ kind: JSONKind) -> (number: Int, isNew: Bool)? {
        if let types {
            guard types[path]?.contains(Self.type(kind)) == true else { return nil }
            return columns[path].map { ($0, false) }
        }
        if let column = columns[path] { return (column, false) }
        guard hasRoom else { return (count - 1, false) }
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
