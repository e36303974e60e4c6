//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSelector
import GodwitStore

/// How the documents of a query are found.
package final class QueryPlan: Sendable {
    let prepared: PreparedQuery
    /// The ways to the documents, one after the other; what an earlier one finds a later one leaves out. There is none where
    /// the query needs an index for its order and has none: it can be explained, and not be run.
    let accesses: [AccessPath]
    /// For each access the selector that it serves, where there are several.
    let branches: [Selector]
    /// Whether what is found is put in order in memory.
    let sortsInMemory: Bool
    /// Indexes that were considered, with what spoke against them.
    let rejected: [Rejection]
    /// The text index that is asked about documents which other accesses find.
    let textCheck: TextAccess?

    /// The fields that the selector is about.
    package var selectorFields: Set<String> { prepared.selector.fields }

    /// The shapes for which nothing was counted, since the choice was remembered.
    let remembered: [PlanShape]

    /// An index that is not used.
    struct Rejection: Sendable {
        /// In the words of CouchDB's `_explain`.
        enum Reason: String, Sendable {
            case partial = "is_partial"
            case fields = "field_mismatch"
            case sort = "sort_order_mismatch"
            case excluded = "excluded_by_user"
            case lessSelective = "less_overlap"
            /// The list of all documents, or an index of another type than the chosen one.
            case unfavored = "unfavored_type"
            case building = "building"
        }

        let description: IndexDescription
        let reason: Reason
        /// The fields of the index that the selector does not restrict, where it could have been used.
        var unrestrictedFields = 0

        var index: QueryIndex { QueryIndex(description) }
    }

    init(
        _ prepared: PreparedQuery, _ accesses: [AccessPath], branches: [Selector] = [], sortsInMemory: Bool = false,
        rejected: [Rejection] = [], textCheck: TextAccess? = nil, remembered: [PlanShape] = []
    ) {
        self.remembered = remembered
        self.textCheck = textCheck
        self.prepared = prepared
        self.accesses = accesses
        self.branches = branches
        self.sortsInMemory = sortsInMemory
        self.rejected = rejected
    }

    /// The indexes that it uses, 0 for all documents: with these it can be made again.
    var indexNumbers: [Int64] { accesses.map(\.indexNumber) }

    /// Whether what is found takes several look-ups, which must agree.
    var needsOneState: Bool {
        prepared.text != nil || accesses.contains { if case .geo = $0 { true } else { false } }
    }

    /// Whether all that is found meets the selector, so that nothing is looked at.
    var isExact: Bool { accesses.count == 1 && accesses[0].isExact }

    /// Whether an index has all that is asked for.
    var isCovered: Bool {
        guard accesses.count == 1, case .json(let access) = accesses[0], !sortsInMemory, !access.mayRepeat,
            !prepared.query.showsConflicts, textCheck == nil, let projection = prepared.projection
        else { return false }
        let known = Set(access.definition.fields.map(\.name)).union(["_id"])
        return projection.names.isSubset(of: known) && (isExact || prepared.selector.fields.isSubset(of: known))
            && (isExact || access.definition.isFlat && !prepared.selector.isAboutWholeDocument)
            && access.definition.canBeRestored
    }
}

extension JSONIndexDefinition {
    /// Whether a document's part can be put together from its values: not where a path may lead into an array.
    fileprivate var canBeRestored: Bool {
        !paths.contains { $0.steps.contains { Int($0) != nil } || $0.steps.first == "_rev" }
    }

    /// Whether all fields are members of the document itself: of an inner one that is not there, its values do not tell
    /// whether the way to it is.
    fileprivate var isFlat: Bool { paths.allSatisfy { $0.steps.count == 1 } }
}
