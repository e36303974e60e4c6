//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitStore

/// A filter of changes that is a function of a design document.
package struct FilterFunction: Sendable {
    private enum Kind: Sendable {
        /// A function of `filters`, with the request that it is given.
        case named(String, request: [UInt8])
        /// A view: what its map function emits something for.
        case view(String)
    }

    private let functions: DesignFunctions
    private let kind: Kind

    /// A function of `filters`.
    ///
    /// - Parameter request: What the function is given as `req`, as JSON.
    package init(_ name: String, of functions: DesignFunctions, request: [UInt8]) throws(ScriptError) {
        try functions.check("filters", name)
        self.functions = functions
        kind = .named(name, request: request)
    }

    /// The map function of a view.
    package init(view name: String, of functions: DesignFunctions) throws(ScriptError) {
        try functions.check("views", name)
        self.functions = functions
        kind = .view(name)
    }

    /// The rows of a slice with the leaves that the function lets through; none where it lets none.
    package func filtered(_ slice: FilterSlice) async throws(ScriptError) -> [FilteredRow] {
        guard !slice.texts.isEmpty else { return [] }
        var flags: IndexingIterator<[Bool]>
        switch kind {
        case .named(let name, let request):
            flags = try await functions.filter(name, slice.texts, request: request).makeIterator()
        case .view(let name): flags = try await functions.filter(byView: name, slice.texts).makeIterator()
        }
        return slice.rows.map { row, leaves in
            FilteredRow(row: row, leaves: leaves.filter { _ in flags.next() == true })
        }
    }
}

/// Changes before a function looks at them, each with the leaves that it is asked about.
package struct FilterSlice: Sendable {
    let rows: [(row: DocumentRow, leaves: [RevisionTree.Leaf])]
    /// The leaves' documents in JSON, in the same order.
    let texts: [[UInt8]]

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
