//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitScript
import GodwitStore

/// A filter of `_changes` that is a function of a design document.
struct FunctionFilter: Sendable {
    private enum Kind: Sendable {
        /// A function of `filters`, with the request that it is given.
        case named(String, request: [UInt8])
        /// A view: what its map function emits something for.
        case view(String)
    }

    private let functions: DesignFunctions
    private let kind: Kind

    /// A filter `design/name`.
    init(_ path: String, in datastore: Datastore, request: [UInt8], scripts: ScriptEngine) throws {
        let (design, name) = try Self.names(
            path, or: "filter parameter must be of the form `designname/filtername`")
        functions = try datastore.functions(of: design, scripts: scripts)
        try functions.check("filters", name)
        kind = .named(name, request: request)
    }

    /// The filter `_view` with a view `design/name`.
    init(view path: String?, in datastore: Datastore, scripts: ScriptEngine) throws {
        guard let path else { throw HTTPFailure.badRequest("`view` filter parameter is not provided.") }
        let (design, name) = try Self.names(path, or: "`view` must be of the form `designname/viewname`")
        functions = try datastore.functions(of: design, scripts: scripts)
        try functions.check("views", name)
        kind = .view(name)
    }

    private static func names(_ path: String, or reason: String) throws(HTTPFailure) -> (String, String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { throw .badRequest(reason) }
        return (parts[0], parts[1])
    }

    /// The rows of a slice with the leaves that the function lets through; those of which it lets none are left out.
    func filtered(_ slice: FilterSlice) async throws -> [FilteredRow] {
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
struct FilterSlice: Sendable {
    var rows: [(row: DocumentRow, leaves: [RevisionTree.Leaf])] = []
    /// The leaves' documents in JSON, in the same order.
    var texts: [[UInt8]] = []

    /// - Parameter allLeaves: Whether all leaves of a document are looked at, or the winner alone.
    init(_ rows: [DocumentRow], allLeaves: Bool, from table: DocumentTable) throws {
        for row in rows {
            var leaves: [RevisionTree.Leaf] = []
            for leaf in allLeaves ? row.leaves : [row.winner] {
                guard let revision = try table.revision(leaf.revision, of: row) else { continue }
                texts.append(try table.functionText(of: revision, in: row))
                leaves.append(leaf)
            }
            self.rows.append((row, leaves))
        }
    }
}

/// A change with the leaves that a feed shows of it; none when it does not show it.
struct FilteredRow: Sendable {
    let row: DocumentRow
    let leaves: [RevisionTree.Leaf]
}
