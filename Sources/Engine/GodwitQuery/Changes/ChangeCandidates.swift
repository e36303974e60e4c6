//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite
package import GodwitSelector
package import GodwitStore

/// A superset of the changes that pass a filter.
package struct ChangeCandidates: Sendable {
    /// The sequences of the candidates, ascending.
    package var sequences: ArraySlice<Int64>
    /// The last sequence of the changes among which the candidates were searched.
    package let last: Int64
}

extension Datastore {
    /// Finds the changes after a sequence, and returns only those whose documents may match a selector. The candidates
    /// are read from indexes. Therefore, a feed need not test all changes if only a few documents pass its selector.
    ///
    /// Deleted documents are in no index, so all deletions are candidates.
    ///
    /// - Returns: The candidates. `nil` in these cases:
    ///   - No complete index can be used, or the query cannot be planned.
    ///   - There are at most ``QueryLimits/changesTestedMax`` changes.
    ///   - There are too many candidates.
    ///   - The datastore is restricted to a scope.
    package func changeCandidates(for selector: Selector, after sequence: Int64) throws(StoreError) -> ChangeCandidates?
    {
        guard updateSequence.number - sequence > QueryLimits.changesTestedMax, scope == .all else { return nil }
        let accesses: [AccessPath]
        do {
            let query = FindQuery(selector: selector.normalized.objectValue ?? [:])
            var planner = try QueryPlanner(PreparedQuery(query), in: self, QueryIndexes.current(in: self))
            let plan = try planner.plan()
            accesses = plan.accesses
            guard accesses.allSatisfy(\.hasSequences) else { return nil }
        } catch {
            return nil
        }
        return try readTogether { table in
            var candidateSequences: Set<Int64> = try table.deletedSequences(
                after: sequence, most: QueryLimits.candidatesMax)
            for access in accesses {
                guard let index = access.index, try table.isComplete(index) else { return nil }
                try access.addSequences(after: sequence, to: &candidateSequences, in: table)
            }
            guard candidateSequences.count < QueryLimits.candidatesMax else { return nil }
            return ChangeCandidates(sequences: candidateSequences.sorted()[...], last: try table.lastSequence())
        }
    }
}

extension Datastore {
    /// Finds the changes of a few documents, and returns only changes after a sequence.
    ///
    /// - Returns: The changes; `nil` when there are more than ``QueryLimits/idsLookedUpMax`` ids, or when the datastore
    ///   is restricted to a scope.
    func changeCandidates(for ids: Set<ExactText>, after sequence: Int64) throws(StoreError) -> ChangeCandidates? {
        guard ids.count <= QueryLimits.idsLookedUpMax, scope == .all else { return nil }
        return try readTogether { table in
            let candidateSequences = try ids.compactMap { try table.row(id: $0.text, detail: .leaves)?.sequence }
            return ChangeCandidates(
                sequences: candidateSequences.filter { $0 > sequence }.sorted()[...], last: try table.lastSequence())
        }
    }
}

extension AccessPath {
    /// Whether the access path reads a part of an index, and the index stores the sequences of its documents.
    fileprivate var hasSequences: Bool {
        switch self {
        case .json(let access): access.restrictedFields > 0
        case .geo: true
        case .documents, .text: false
        }
    }

    fileprivate func addSequences(
        after sequence: Int64, to candidateSequences: inout Set<Int64>, in table: DocumentTable
    ) throws {
        switch self {
        case .json(let access): try access.addSequences(after: sequence, to: &candidateSequences, in: table)
        case .geo(let access):
            try candidateSequences.formUnion(
                access.search.sequences(after: sequence, most: QueryLimits.candidatesMax, in: table))
        case .documents, .text: break
        }
    }
}

extension JSONAccess {
    fileprivate func addSequences(
        after sequence: Int64, to candidateSequences: inout Set<Int64>, in table: DocumentTable
    ) throws {
        let statement = try table.connection.statement(
            composed: """
                SELECT DISTINCT sequence FROM \(index.entriesTable) WHERE key >= ?1 AND key < ?2 AND sequence > ?3 LIMIT ?4
                """)
        for range in ranges where candidateSequences.count < QueryLimits.candidatesMax {
            defer { statement.reset() }
            statement.bind(range.lower as [UInt8]?, at: 1)
            statement.bind(range.upper as [UInt8]?, at: 2)
            statement.bind(sequence, at: 3)
            statement.bind(QueryLimits.candidatesMax, at: 4)
            while try statement.step() { candidateSequences.insert(statement.int64(0)) }
        }
    }
}
