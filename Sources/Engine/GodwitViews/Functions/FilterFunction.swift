//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitStore

/// A filter of changes that calls a function of a design document.
package struct FilterFunction: ChangeFilter {
    private let functions: DesignFunctions
    private let function: ChangeFunction

    /// Creates a filter.
    ///
    /// - Throws: ``ScriptError`` with CouchDB's error and reason when the design document has no such function.
    init(_ function: ChangeFunction, of functions: DesignFunctions) throws(ScriptError) {
        switch function.kind {
        case .filter: try functions.check("filters", function.name)
        case .view: try functions.check("views", function.name)
        }
        self.functions = functions
        self.function = function
    }

    /// Returns all rows of a slice. From each row, the leaves are removed that the function does not accept, so a row
    /// may have no leaves. If the slice contains no texts of documents, the result is empty.
    package func filtered(_ slice: FilterSlice) async throws -> [FilteredRow] {
        guard !slice.texts.isEmpty else { return [] }
        var flags: IndexingIterator<[Bool]>
        switch function.kind {
        case .filter(let request):
            flags = try await functions.filter(function.name, slice.texts, request: request).makeIterator()
        case .view: flags = try await functions.filter(byView: function.name, slice.texts).makeIterator()
        }
        return slice.rows.map { row, leaves in
            FilteredRow(row: row, leaves: leaves.filter { _ in flags.next() == true })
        }
    }
}

extension ScriptedIndexKind {
    /// See ``ChangeFilterKind/filter(_:in:)``.
    package func filter(_ function: ChangeFunction, in datastore: Datastore) throws -> (any ChangeFilter)? {
        try datastore.functions(of: function.design).map { try FilterFunction(function, of: $0) }
    }
}
