//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

/// What a search reads.
enum SearchState: Sendable {
    /// The database as it is at each read.
    case current(Datastore)
    /// One state of it, for searches that take many reads.
    case held(Snapshot)

    /// - Throws: What `body` threw, or a ``StoreError``.
    func read<Value>(_ body: (DocumentTable) throws -> Value) throws -> Value {
        switch self {
        case .current(let datastore): try datastore.readTogether { table in Result { try body(table) } }.get()
        case .held(let snapshot): try snapshot.read { table in Result { try body(table) } }.get()
        }
    }
}

extension SearchRequest {
    /// Whether the documents of all hits may have to be looked at.
    var readsDocuments: Bool { !sort.isEmpty || !drilldown.isEmpty || facets != nil || grouping != nil }
}
