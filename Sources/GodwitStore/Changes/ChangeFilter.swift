//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Chooses changes: a function of a design document is one.
package protocol ChangeFilter: Sendable {
    /// The rows of a slice with the leaves that pass; none where none does.
    func filtered(_ slice: FilterSlice) async throws -> [FilteredRow]
}

/// A kind of index that can also run the filters of design documents. A module that runs functions registers one.
package protocol ChangeFilterKind: IndexKind {
    /// The filter that a function makes.
    ///
    /// - Returns: `nil` when the design document is not there.
    func filter(_ function: ChangeFunction, in datastore: Datastore) throws -> (any ChangeFilter)?
}

/// A function of a design document that chooses changes.
package struct ChangeFunction: Sendable {
    /// Where it stands in the design document.
    package enum Kind: Sendable {
        /// A function of `filters`, with the request that it is given, as JSON.
        case filter(request: [UInt8])
        /// A view: chosen is what its map function emits something for.
        case view
    }

    /// The design document's id without `_design/`.
    package let design: String
    /// The function's name, or the view's.
    package let name: String
    package let kind: Kind

    /// Reads `design/name`; `nil` for a text of another form.
    package init?(_ path: String, _ kind: Kind) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        (design, name) = (String(parts[0]), String(parts[1]))
        self.kind = kind
    }
}

extension Datastore {
    /// Who runs the filters of its design documents; `nil` when the manager was opened without.
    package var changeFilters: (any ChangeFilterKind)? {
        indexKinds.lazy.compactMap { $0 as? any ChangeFilterKind }.first
    }
}

/// Changes before a function looks at them, each with the leaves that it is asked about.
package struct FilterSlice: Sendable {
    package let rows: [(row: DocumentRow, leaves: [RevisionTree.Leaf])]
    /// The leaves' documents in JSON, in the same order.
    package let texts: [[UInt8]]

    /// - Parameter allLeaves: Whether all leaves of a document are looked at, or the winner alone.
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

/// A change with the leaves that are shown of it; none when it is not shown.
package struct FilteredRow: Sendable {
    package let row: DocumentRow
    package let leaves: [RevisionTree.Leaf]

    package init(row: DocumentRow, leaves: [RevisionTree.Leaf]) {
        self.row = row
        self.leaves = leaves
    }
}
