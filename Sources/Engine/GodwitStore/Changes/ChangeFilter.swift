//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A filter of changes, for example a function of a design document.
package protocol ChangeFilter: Sendable {
    /// Returns the rows of a slice, each with the leaves that pass the filter. The list of leaves is empty if none of
    /// them passes.
    func filtered(_ slice: FilterSlice) async throws -> [FilteredRow]
}

/// A kind of index that also runs the filters of design documents. The module that runs functions registers such a
/// kind.
package protocol ChangeFilterKind: IndexKind {
    /// Creates the filter for a function.
    ///
    /// - Returns: `nil` if the design document is absent.
    func filter(_ function: ChangeFunction, in datastore: Datastore) throws -> (any ChangeFilter)?
}

/// A function of a design document that filters changes.
package struct ChangeFunction: Sendable {
    /// The kind of function.
    package enum Kind: Sendable {
        /// A function of `filters`, with the request that it receives, as JSON.
        case filter(request: [UInt8])
        /// A view: a document passes if the view's map function emits at least one row for it.
        case view
    }

    /// The design document's id without `_design/`.
    package let design: String
    /// The name of the function or the view.
    package let name: String
    /// The kind of function.
    package let kind: Kind

    /// Parses `design/name`; `nil` for any other text.
    package init?(_ path: String, _ kind: Kind) {
        guard let (design, name) = path.cut(at: "/"), !design.isEmpty, !name.isEmpty, name.cut(at: "/") == nil else {
            return nil
        }
        (self.design, self.name) = (design, name)
        self.kind = kind
    }
}

extension Datastore {
    /// The kind of index that runs the filters of design documents; `nil` if the manager was opened without such a
    /// kind.
    package var changeFilters: (any ChangeFilterKind)? {
        indexKinds.lazy.compactMap { $0 as? any ChangeFilterKind }.first
    }
}

/// A slice of changes that a filter must examine. Each change contains the leaves to filter.
package struct FilterSlice: Sendable {
    /// The changes, in the order of their sequences. `leaves` contains the leaves to filter, except leaves whose bodies
    /// are not stored.
    package let rows: [(row: DocumentRow, leaves: [RevisionTree.Leaf])]
    /// The documents of the leaves as JSON, in the same order.
    package let texts: [[UInt8]]

    /// Creates a slice. Leaves whose body is not stored are omitted.
    ///
    /// - Parameter allLeaves: Whether to filter all leaves of a document, or only the winner.
    package init(_ rows: [DocumentRow], allLeaves: Bool, from table: DocumentTable) throws {
        var texts: [[UInt8]] = []
        self.rows = try rows.map { row in
            var leaves: [RevisionTree.Leaf] = []
            for leaf in allLeaves ? row.leaves : [row.winner] {
                guard let revision = try table.revision(leaf.revision, of: row) else { continue }
                texts.append(try table.functionText(of: revision, in: row))
                leaves.append(leaf)
            }
            return (row, leaves)
        }
        self.texts = texts
    }
}

/// A change, with those of its leaves that passed a filter.
package struct FilteredRow: Sendable {
    /// The row of the changed document.
    package let row: DocumentRow
    /// The leaves that passed the filter; empty if the change is omitted.
    package let leaves: [RevisionTree.Leaf]

    /// Creates a result from a row and the leaves that passed the filter.
    package init(row: DocumentRow, leaves: [RevisionTree.Leaf]) {
        self.row = row
        self.leaves = leaves
    }
}
