//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
package import GodwitQuery
import GodwitSelector
package import GodwitStore

/// A validated query of a view, with the data for reading its rows.
package struct ViewPlan: Sendable {
    /// The query.
    package let query: ViewQuery
    /// The index of the group that contains the view, as it was when the plan was created.
    package let index: IndexDescription
    /// The last sequence that the view contains.
    package internal(set) var followed: Int64
    /// Whether rows are reduced.
    package let reduces: Bool
    /// The view's number in the group.
    let view: Int
    let collation: ViewGroup.Collation
    let reducer: Reducer
    /// The prefix of all entries that are visible to the query.
    let prefix: [UInt8]
    let ranges: [EntryRange]
    let limits: ViewLimits

    init(
        _ query: ViewQuery, view name: String, of group: ViewGroup, index: IndexDescription, partition: String?,
        in datastore: Datastore, by kind: ViewIndex
    ) throws(ViewError) {
        guard let view = group.position(of: name) else { throw .notFound("missing_named_view") }
        let isPartitioned = group.isPartitioned && datastore.isPartitioned
        if isPartitioned, partition == nil {
            throw .invalidQuery("`partition` parameter is mandatory for queries to this view.")
        }
        if !isPartitioned, partition != nil {
            throw .invalidQuery("`partition` parameter is not supported in this design doc.")
        }
        self.query = query
        self.index = index
        followed = index.sequence
        self.view = view
        collation = group.views[view].collation
        let program = kind.program(of: index, in: IndexedDatabase(datastore))
        reducer = try Reducer(group.views[view], program, scripts: kind.mapper.scripts)
        reduces = query.reduce ?? (group.views[view].reduce != nil)
        prefix = partition.map { ViewEntry.prefix(view: view, partition: $0) } ?? ViewEntry.prefix(view: view)
        ranges = try query.ranges(prefix: prefix, collation: collation, reduces: reduces)
        limits = kind.mapper.limits
        try checkParameters(hasReduce: group.views[view].reduce != nil)
    }

    private func checkParameters(hasReduce: Bool) throws(ViewError) {
        if query.reduce == true, !hasReduce { throw .invalidQuery("Reduce is invalid for map-only views.") }
        if !reduces, query.grouping != .none {
            throw .invalidQuery("Invalid use of grouping on a map view.")
        }
        if case .level(let level) = query.grouping, level < 0 {
            throw .invalidQuery("`group_level` must not be negative.")
        }
        if reduces, query.includesDocuments {
            throw .invalidQuery("`include_docs` is invalid for reduce")
        }
        if reduces, let keys = query.keys, keys.count != 1, query.grouping != .exact {
            throw .invalidQuery("Multi-key fetches for reduce views must use `group=true`")
        }
    }

    /// The range of all rows that are visible to the query.
    var whole: EntryRange { EntryRange(prefix: prefix) }
}
