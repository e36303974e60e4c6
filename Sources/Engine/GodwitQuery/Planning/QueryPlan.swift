//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitBase
import GodwitSelector
import GodwitStore

/// The execution plan of a query: the access paths to its documents.
package final class QueryPlan: Sendable {
    let prepared: PreparedQuery
    /// The access paths, in the order of their execution. A later access path omits documents that an earlier access
    /// path has found. The list is empty when the query requires an index for its order and no index has this order.
    /// Such a plan can be explained but not run.
    let accesses: [AccessPath]
    /// The selector that each access path serves, if the plan has several access paths.
    let branches: [Selector]
    /// Whether the results are sorted in memory.
    let sortsInMemory: Bool
    /// The indexes that were considered, with the reasons for their rejection.
    let rejected: [Rejection]
    /// The text index that tests the documents of the other access paths; `nil` if no such test is needed.
    let textCheck: TextAccess?

    /// The fields that the selector tests.
    package var selectorFields: Set<ExactText> { prepared.selector.fields }

    /// The shapes for which a stored choice was used without counting entries.
    let remembered: [PlanShape]

    /// An index that is not used.
    struct Rejection: Sendable {
        /// A reason in the notation of CouchDB's `_explain`.
        enum Reason: String, Sendable {
            case partial = "is_partial"
            case fields = "field_mismatch"
            case sort = "sort_order_mismatch"
            case excluded = "excluded_by_user"
            case lessSelective = "less_overlap"
            /// The index of all documents, or an index of a type that differs from the type of the chosen index.
            case unfavored = "unfavored_type"
            case building = "building"
        }

        let description: IndexDescription
        let reason: Reason
        /// The number of the index's fields that the selector does not restrict, if the index was usable.
        var unrestrictedFields = 0

        var index: QueryIndex { QueryIndex(description) }
    }

    init(
        _ prepared: PreparedQuery, _ accesses: [AccessPath], branches: [Selector] = [], sortsInMemory: Bool = false,
        rejected: [Rejection] = [], textCheck: TextAccess? = nil, remembered: [PlanShape] = []
    ) {
        invariant(accesses.count <= QueryLimits.branchesMax, "a plan keeps the limit of its access paths")
        invariant(
            branches.count == (accesses.count > 1 ? accesses.count : 0), "each of several access paths serves a branch")
        invariant(textCheck == nil || !accesses.contains(where: \.isText), "a search by text needs no test of the text")
        self.remembered = remembered
        self.textCheck = textCheck
        self.prepared = prepared
        self.accesses = accesses
        self.branches = branches
        self.sortsInMemory = sortsInMemory
        self.rejected = rejected
    }

    /// The numbers of the indexes, with 0 for all documents. Together with ``sortsInMemory``, they suffice to recreate
    /// the plan.
    var indexNumbers: [Int64] { accesses.map(\.indexNumber) }

    /// Whether the plan has one access path and every result of this access path matches the selector, so that
    /// documents need no test.
    var isExact: Bool { accesses.count == 1 && accesses[0].isExact }

    /// Whether one index contains all fields that the query returns and tests.
    var isCovered: Bool {
        guard accesses.count == 1, case .json(let access) = accesses[0], !sortsInMemory, !access.mayRepeat,
            !prepared.query.showsConflicts, textCheck == nil, let projection = prepared.projection
        else { return false }
        let indexedFields = Set(access.definition.fields.map { ExactText($0.name) }).union([ExactText("_id")])
        return projection.names.isSubset(of: indexedFields)
            && (isExact || prepared.selector.fields.isSubset(of: indexedFields))
            && (isExact || access.definition.isFlat && !prepared.selector.appliesToDocument)
            && access.definition.canBeRestored
    }
}

extension JSONIndexDefinition {
    /// Whether a partial document can be built from the index's values. This is not possible if a path may lead into an
    /// array or starts with `_rev`.
    fileprivate var canBeRestored: Bool {
        !paths.contains { $0.steps.contains { Int($0) != nil } || $0.steps.first == "_rev" }
    }

    /// Whether all fields are members of the document itself. If an inner field is missing, the index's values do not
    /// show whether its parent exists.
    fileprivate var isFlat: Bool { paths.allSatisfy { $0.steps.count == 1 } }
}
