//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSelector
import GodwitStore

// CouchDB's `_explain` lists the indexes that a query does not use. The less suitable an index is, the higher is its
// ranking number. Usable indexes have the lowest numbers, in the order of suitability. Higher numbers have, in this
// order: indexes of a type that is not preferred, indexes that `use_index` excludes, indexes that do not serve the
// query, and partial indexes. (apache/couchdb, `mango_cursor.erl`)

extension QueryPlan {
    /// Returns the value of `index_candidates`.
    func candidates(isPartitioned: Bool) -> JSONValue {
        var ranks = [Rejection.Stage: Int64]()
        let chosenType = accesses.first?.index.map { QueryIndex($0).kind } ?? .special
        let all = rejected.map { Candidate($0, beside: chosenType) } + [allDocuments].compactMap { $0 }
        let usable = all.filter { $0.stage == .notChosen }.sorted()
        // The chosen index has rank 0.
        var nextRank = Int64(max(1, chosenType == .json ? usable.count + 1 : usable.count))
        for stage in Rejection.Stage.allCases where stage != .notChosen {
            ranks[stage] = nextRank
            if all.contains(where: { $0.stage == stage }) { nextRank += 1 }
        }
        let ranked =
            usable.enumerated().map { ($1, Int64($0 + 1)) }
            + all.filter { $0.stage != .notChosen }.map { ($0, ranks[$0.stage] ?? 1) }
        return .array(ranked.map { json($0, ranking: $1, isPartitioned: isPartitioned) })
    }

    private struct Candidate: Comparable {
        let index: QueryIndex
        let reason: Rejection.Reason
        let stage: Rejection.Stage
        /// The number of the index's fields that the selector does not restrict.
        let unrestricted: Int

        var fields: [String] {
            index.definition["fields"].flatMap { try? QueryField.list($0) }?.map(\.name) ?? []
        }

        init(index: QueryIndex, reason: Rejection.Reason) {
            (self.index, self.reason, unrestricted) = (index, reason, 0)
            stage = reason.stage
        }

        init(_ rejection: Rejection, beside chosen: QueryIndex.Kind) {
            index = rejection.index
            unrestricted = rejection.unrestrictedFields
            // CouchDB compares an index only with indexes of the same type.
            reason = rejection.reason == .lessSelective && index.kind != chosen ? .unfavored : rejection.reason
            stage = reason.stage
        }

        private var sortKey: (Int, Int, String, String) {
            (unrestricted, fields.count, index.designDocument, index.name)
        }

        static func < (left: Candidate, right: Candidate) -> Bool { left.sortKey < right.sortKey }
        static func == (left: Candidate, right: Candidate) -> Bool { left.sortKey == right.sortKey }
    }

    /// The index of all documents as a candidate; `nil` if the plan reads it.
    private var allDocuments: Candidate? {
        guard accesses.allSatisfy({ $0.index != nil }) else { return nil }
        let hasOrder = prepared.sort.allSatisfy { $0.name == "_id" }
        let isNamed = !prepared.query.index.isEmpty && accesses.contains { $0.index.map(prepared.query.names) == true }
        let reason: Rejection.Reason =
            accesses.isEmpty ? .fields : !hasOrder ? .sort : isNamed ? .excluded : .unfavored
        return Candidate(index: .allDocuments, reason: reason)
    }

    private func json(_ candidate: Candidate, ranking: Int64, isPartitioned: Bool) -> JSONValue {
        let reason =
            candidate.reason != .lessSelective || candidate.unrestricted > 0
            ? candidate.reason.rawValue
            : candidate.fields.count > chosenFieldCount ? "too_many_fields" : "alphabetically_comes_after"
        let requestedFields = prepared.query.fields
        let covers =
            requestedFields.map { fields in
                Set(fields.map { ExactText($0) }).isSubset(of: (candidate.fields + ["_id"]).map { ExactText($0) })
            } ?? false
        return [
            "index": candidate.index.json(isPartitioned: isPartitioned),
            "analysis": [
                "usable": .bool(candidate.stage < .unusable), "reasons": [["name": .string(reason)]],
                "ranking": .integer(ranking),
                "covering": candidate.index.kind == .json ? .bool(covers) : .null,
            ],
        ]
    }

    private var chosenFieldCount: Int {
        guard case .json(let access)? = accesses.first else { return 0 }
        return access.definition.fields.count
    }
}

extension QueryPlan.Rejection {
    /// The stage of the selection to which a reason belongs. Later cases are less suitable.
    enum Stage: Int, CaseIterable, Comparable {
        case notChosen, unfavored, excluded, unusable, partial

        static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
    }
}

extension QueryPlan.Rejection.Reason {
    fileprivate var stage: QueryPlan.Rejection.Stage {
        switch self {
        case .lessSelective: .notChosen
        case .unfavored: .unfavored
        case .excluded: .excluded
        case .fields, .sort, .building: .unusable
        case .partial: .partial
        }
    }
}
