//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

/// The database state that a search reads.
enum SearchState: Sendable {
    /// The current state at each read.
    case current(Datastore)
    /// One fixed state, for searches that need many reads.
    case held(Snapshot)

    /// - Throws: The error of `body`, or a ``StoreError``.
    func read<Value>(_ body: (DocumentTable) throws -> Value) throws -> Value {
        switch self {
        case .current(let datastore): try datastore.readTogether { table in Result { try body(table) } }.get()
        case .held(let snapshot): try snapshot.read { table in Result { try body(table) } }.get()
        }
    }
}

extension SearchRequest {
    /// Whether the request may require reading the documents of all hits.
    var readsDocuments: Bool { !sort.isEmpty || !drilldown.isEmpty || facets != nil || grouping != nil }
}
