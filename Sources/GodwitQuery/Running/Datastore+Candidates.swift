//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite
package import GodwitSelector
package import GodwitStore

/// The changes among which those of a selector are.
package struct ChangeCandidates: Sendable {
    /// The numbers of the changes, ascending.
    package var sequences: ArraySlice<Int64>
    /// All changes up to here were considered.
    package let last: Int64
}

extension Datastore {
    /// The changes after a number among which all those are whose documents meet a selector, found through its indexes, so
    /// that a feed of a few documents does not look at all.
    ///
    /// Deleted documents are in no index: all of them are candidates.
    ///
    /// - Returns: `nil` where no index helps, or where there is so little to look at that none is needed.
    package func changeCandidates(for selector: Selector, after sequence: Int64) throws(StoreError) -> ChangeCandidates?
    {
        guard updateSequence.number - sequence > QueryLimits.changesLookedAt, scope == .all else { return nil }
        let accesses: [JSONAccess]
        do {
            let query = FindQuery(selector: selector.normalized.objectValue ?? [:])
            var planner = try QueryPlanner(PreparedQuery(query), in: self)
            let plan = try planner.plan()
            accesses = plan.accesses.compactMap(\.restrictedIndex)
            guard accesses.count == plan.accesses.count else { return nil }
        } catch {
            return nil
        }
        return try readTogether { table in
            var found: Set<Int64> = try table.deletedSequences(after: sequence, most: QueryLimits.candidatesMax)
            for access in accesses {
                guard try table.isComplete(access.index) else { return nil }
                try access.addSequences(after: sequence, to: &found, in: table)
            }
            guard found.count < QueryLimits.candidatesMax else { return nil }
            return ChangeCandidates(sequences: found.sorted()[...], last: try table.lastSequence())
        }
    }
}

extension Access {
    /// The part of an index that is read, where that is not all of it.
    fileprivate var restrictedIndex: JSONAccess? {
        guard case .json(let access) = self, access.restrictedFields > 0 else { return nil }
        return access
    }
}

extension JSONAccess {
    fileprivate func addSequences(after sequence: Int64, to found: inout Set<Int64>, in table: DocumentTable) throws {
        let statement = try table.connection.statement(
            composed: """
                SELECT sequence FROM \(index.entriesTable) WHERE key >= ?1 AND key < ?2 AND sequence > ?3 LIMIT ?4
                """)
        for range in ranges where found.count < QueryLimits.candidatesMax {
            defer { statement.reset() }
            statement.bind(range.lower as [UInt8]?, at: 1)
            statement.bind(range.upper as [UInt8]?, at: 2)
            statement.bind(sequence, at: 3)
            statement.bind(QueryLimits.candidatesMax, at: 4)
            while try statement.step() { found.insert(statement.int64(0)) }
        }
    }
}
