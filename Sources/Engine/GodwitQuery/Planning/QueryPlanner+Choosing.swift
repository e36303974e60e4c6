//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSelector
import GodwitStore

extension QueryPlanner {
    /// Returns the candidate to read.
    ///
    /// - Parameter ordered: The candidates that have the order of the query.
    mutating func best(of candidates: [Candidate], ordered: [Candidate]) throws -> Candidate {
        let restricted = candidates.filter { !$0.access.readsEverything }
        if !prepared.sort.isEmpty {
            let first = try fewest(ordered)
            // If only a few documents match, sorting them costs less than reading an index in the order of the query.
            if let first, !first.access.readsEverything || restricted.isEmpty { return first }
            if let restrictedBest = try fewest(restricted),
                try count(restrictedBest.access) < QueryLimits.countedEntriesMax
            {
                return restrictedBest
            }
            if let first { return first }
        }
        return try fewest(restricted) ?? candidates.first { $0.access.index != nil && query.index.count > 0 }
            ?? candidates[0]
    }

    /// Returns the candidate that finds the fewest documents. If several candidates find the same number, returns the
    /// candidate that restricts the most fields. A stored choice for a query of this shape is reused.
    private mutating func fewest(_ candidates: [Candidate], for selector: Selector? = nil) throws -> Candidate? {
        guard candidates.count > 1 else { return candidates.first }
        let shape = PlanShape(
            selector: (selector ?? self.selector).shape, indexNumbers: candidates.map(\.access.indexNumber))
        if usesMemory, let number = known.choice(for: shape),
            let chosen = candidates.first(where: { $0.access.indexNumber == number })
        {
            remembered.append(shape)
            return chosen
        }
        let counted = try candidates.map { (candidate: $0, count: try count($0.access)) }
        let best = counted.min { left, right in
            (left.count, left.candidate.access.vagueness) < (right.count, right.candidate.access.vagueness)
        }?.candidate
        if let best { known.choose(best.access.indexNumber, for: shape) }
        return best
    }

    private func count(_ access: AccessPath) throws -> Int {
        if access.readsEverything { return .max }
        return try datastore.read { table in
            try access.reading(table) { try access.count(upTo: QueryLimits.countedEntriesMax, in: table) }
        }
    }

    /// The branches of an `$or`. A branch with a `$text` is last. A document that a branch finds is omitted if it
    /// matches an earlier branch. In this order, the test for earlier branches does not need the text index.
    var branches: [Selector] {
        let all = selector.alternatives(upTo: QueryLimits.branchesMax)
        return all.filter { $0.textSearch == nil } + all.filter { $0.textSearch != nil }
    }

    /// Returns a plan that reads each branch of an `$or` with its best index; `nil` if the selector has no suitable
    /// `$or`, or a branch has no index.
    mutating func union() throws -> QueryPlan? {
        let branches = branches
        guard (2...QueryLimits.branchesMax).contains(branches.count) else { return nil }
        var accesses: [AccessPath] = []
        for branch in branches {
            if let text, branch.textSearch != nil {
                accesses.append(.text(text))
                continue
            }
            guard !branch.usesText else { return nil }
            let useful = self.accesses(for: branch, sort: []).filter { !$0.access.readsEverything }
            guard let best = try fewest(useful, for: branch) else { return nil }
            accesses.append(best.access)
        }
        guard text == nil || accesses.last?.isText == true else { return nil }
        return QueryPlan(
            prepared, accesses, branches: branches, sortsInMemory: !prepared.sort.isEmpty, rejected: rejected,
            remembered: remembered)
    }

    // MARK: Text with other conditions

    /// If another index finds fewer documents than ``QueryLimits/narrowedMax``, restricts a text search to these
    /// documents. Otherwise, returns the search unchanged.
    func narrowed(_ text: TextAccess, for selector: Selector) throws -> TextAccess {
        var (text, fewest) = (text, QueryLimits.narrowedMax)
        guard !text.isExact else { return text }
        for candidate in accesses(for: selector, sort: []) {
            guard case .json(let access) = candidate.access, access.restrictedFields > 0,
                access.definition.partialFilter.map({ selector.implies($0) }) ?? true
            else { continue }
            let count = try datastore.read { table in
                try candidate.access.reading(table) { try access.count(upTo: fewest, in: table) }
            }
            if count < fewest { (text.within, fewest) = (access, count) }
        }
        return text
    }
}

extension AccessPath {
    /// A cost that increases with the conditions that must be tested on documents.
    fileprivate var vagueness: Int {
        switch self {
        case .documents, .text: 1_000
        case .geo(let access): access.isExact ? 0 : 500
        case .json(let access):
            (access.isExact ? 0 : 500) - access.restrictedFields * 2 + access.definition.fields.count
        }
    }
}
