//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
import GodwitStore
import GodwitText

/// Chooses how a query finds its documents. Usually, the query reads the index that has the fewest matching entries.
/// The entries are counted up to a limit. An `$or` can read several indexes. If no index can be used, all documents are
/// read.
///
/// A candidate is an access path that could serve the query, for example the ranges of an index.
struct QueryPlanner {
    let prepared: PreparedQuery
    let datastore: Datastore
    let known: QueryIndexes
    private var indexes: [CompleteIndex]
    var text: TextAccess?
    var rejected: [QueryPlan.Rejection] = []
    /// The shapes for which a stored choice was used.
    var remembered: [PlanShape] = []
    /// Whether stored choices may be reused.
    let usesMemory: Bool

    var selector: Selector { prepared.selector }
    var query: FindQuery { prepared.query }

    init(
        _ prepared: PreparedQuery, in datastore: Datastore, _ known: QueryIndexes, usesMemory: Bool = true
    ) throws {
        self.prepared = prepared
        self.datastore = datastore
        self.usesMemory = usesMemory
        self.known = known
        // `_conflicts` is added when a document is read. It is not stored, so an index on it has no entries.
        indexes = known.json.filter { !$0.isOfConflicts }
        for complete in known.json where complete.isOfConflicts { reject(complete.index, .fields) }
        for index in known.building { reject(index, .building) }
        if indexes.contains(where: { $0.definition.partialFilter != nil }) { rejectPartial() }
        text = try prepared.text.map { try textAccess(for: $0) }
    }

    private mutating func rejectPartial() {
        let isPartial = { [self] (complete: CompleteIndex) in
            guard let filter = complete.definition.partialFilter else { return false }
            return !isNamed(complete.index) && !selector.implies(filter)
        }
        for complete in indexes where isPartial(complete) { reject(complete.index, .partial) }
        indexes.removeAll(where: isPartial)
    }

    /// Returns the access path of the text index that evaluates a `$text`. Throws ``QueryError`` when no text index or
    /// more than one text index can be used.
    private func textAccess(for query: TextQuery) throws -> TextAccess {
        let named = known.text.filter(isNamed)
        let suitable = try known.text.filter { index in
            guard let filter = try TextIndex.definition(of: index).partialFilter else { return true }
            return selector.implies(filter)
        }
        let usable = named.isEmpty ? suitable : named
        guard let index = usable.first else { throw QueryError.noTextIndex }
        guard usable.count == 1 else { throw QueryError.multipleTextIndexes }
        return try TextAccess(index, query, for: selector)
    }

    private mutating func reject(
        _ index: IndexDescription, _ reason: QueryPlan.Rejection.Reason, unrestricted: Int = 0
    ) {
        rejected.append(.init(description: index, reason: reason, unrestrictedFields: unrestricted))
    }

    /// Whether the query names the index.
    private func isNamed(_ index: IndexDescription) -> Bool { query.names(index) }

    private func isNamed(_ candidate: Candidate) -> Bool {
        !query.index.isEmpty && candidate.access.index.map { isNamed($0) } == true
    }

    // MARK: Planning

    /// Returns the plan for the query. If the query requires an index for its order and no index has this order, the
    /// plan has no access paths and cannot be run.
    ///
    /// - Throws: ``QueryError`` when the query requires an index that does not exist or cannot serve it, or when a
    ///   `$near` has no geospatial index.
    mutating func plan() throws -> QueryPlan {
        if let text, selector.textSearch != nil {
            let access = try narrowed(text, for: selector)
            return QueryPlan(prepared, [.text(access)], sortsInMemory: !prepared.sort.isEmpty, rejected: rejected)
        }
        let usable = try usableCandidates()
        let ordered = usable.filter(\.isOrdered)
        if ordered.isEmpty, !prepared.sortsInMemory, try !isSortedByText() {
            return QueryPlan(prepared, [], rejected: rejected)
        }
        if let nearest = try nearest(among: usable) { return nearest }
        var best = try best(of: usable, ordered: ordered)
        if case .text(let text) = best.access { best.access = .text(try narrowed(text, for: selector)) }
        if best.access.readsEverything, prepared.sort.isEmpty || !best.isOrdered, !isNamed(best),
            let union = try union()
        {
            return union
        }
        for other in usable where other.access.indexNumber != best.access.indexNumber {
            guard let index = other.access.index else { continue }
            reject(index, .lessSelective, unrestricted: other.access.unrestrictedFields)
        }
        return QueryPlan(
            prepared, [best.access], sortsInMemory: !best.isOrdered, rejected: rejected, textCheck: text,
            remembered: remembered)
    }

    /// Whether a text index has all fields of the sort. In CouchDB, a text index can then serve the query; here, the
    /// documents are found in another way and sorted in memory.
    private func isSortedByText() throws -> Bool {
        try known.text.contains { index in
            let definition = try TextIndex.definition(of: index)
            guard definition.partialFilter == nil || isNamed(index) else { return false }
            guard let fields = definition.fields else { return !definition.isOfFunctions }
            return prepared.sort.allSatisfy { field in fields.contains { $0.name.isIdenticalText(to: field.name) } }
        }
    }

    /// Returns the candidates that the query permits. If the query names an index that can be used, only the candidates
    /// of this index are returned. If not, all candidates are returned. Throws ``QueryError`` when the named index
    /// cannot be used and the query does not allow other indexes.
    private mutating func usableCandidates() throws -> [Candidate] {
        let all = candidates()
        let named = all.filter { isNamed($0) && ($0.isOrdered || prepared.sortsInMemory) }
        guard named.isEmpty else {
            for index in all.compactMap(\.access.index) where !isNamed(index) { reject(index, .excluded) }
            return named
        }
        if !query.allowsFallback, !query.index.isEmpty || all.allSatisfy({ $0.access.index == nil }) {
            throw QueryError.unsuitable(query.index)
        }
        return all
    }

    /// Recreates the plan of a bookmark.
    ///
    /// - Throws: ``QueryError`` when one of its indexes does not exist or cannot serve the query.
    func plan(like bookmark: Bookmark) throws -> QueryPlan {
        if let text, bookmark.indexNumbers == [text.index.number] {
            return QueryPlan(
                prepared, [.text(try narrowed(text, for: selector))], sortsInMemory: bookmark.sortsInMemory)
        }
        var accesses: [AccessPath] = []
        let branches = bookmark.indexNumbers.count > 1 ? branches : [selector]
        guard branches.count == bookmark.indexNumbers.count else { throw QueryError.invalidBookmark(bookmark.text) }
        for (number, branch) in zip(bookmark.indexNumbers, branches) {
            if let text, branch.textSearch != nil, number == text.index.number {
                accesses.append(.text(text))
                continue
            }
            let all = self.accesses(for: branch, sort: bookmark.sortsInMemory ? [] : prepared.sort)
            guard let candidate = all.first(where: { $0.access.indexNumber == number }) else {
                throw QueryError.invalidBookmark(bookmark.text)
            }
            accesses.append(candidate.access)
        }
        return QueryPlan(
            prepared, accesses, branches: branches.count > 1 ? branches : [], sortsInMemory: bookmark.sortsInMemory,
            textCheck: accesses.contains(where: \.isText) ? nil : text)
    }

    /// An access path, and whether it finds the documents in the order of the query.
    struct Candidate {
        var access: AccessPath
        var isOrdered: Bool
    }

    private mutating func candidates() -> [Candidate] {
        let all = accesses(for: selector, sort: prepared.sort)
        for complete in indexes where !all.contains(where: { $0.access.indexNumber == complete.index.number }) {
            reject(complete.index, selector.ranges(of: complete.definition.fields[0].name) == nil ? .fields : .sort)
        }
        return all
    }

    /// Returns all access paths that could serve the query.
    func accesses(for selector: Selector, sort: [QueryField]) -> [Candidate] {
        var documents = DocumentsAccess(selector.idConditions)
        let isByID = sort.first?.name == "_id"
        documents.isBackward = isByID && sort[0].isDescending
        var all = [Candidate(access: .documents(documents), isOrdered: sort.isEmpty || isByID)]
        for complete in indexes {
            var access = JSONAccess(complete, for: selector, usesElements: false)
            let direction = access.direction(for: sort)
            if let direction, !sort.isEmpty {
                access.isBackward = direction
                all.append(Candidate(access: .json(access), isOrdered: true))
            } else {
                if access.hasElements { access = JSONAccess(complete, for: selector, usesElements: true) }
                guard access.restrictedFields > 0 || isNamed(complete.index) else { continue }
                all.append(Candidate(access: .json(access), isOrdered: sort.isEmpty))
            }
        }
        for index in known.text where isNamed(index) {
            guard let access = try? TextAccess(reading: index, for: selector) else { continue }
            all.append(Candidate(access: .text(access), isOrdered: sort.isEmpty))
        }
        for index in known.geo {
            if let access = try? GeoAccess(index, for: selector) {
                all.append(Candidate(access: .geo(access), isOrdered: sort.isEmpty))
            }
        }
        return all
    }

    /// Returns the plan of a query with a `$near` and no sort; `nil` for other queries.
    ///
    /// - Throws: ``QueryError`` when no index has the order of distances.
    private func nearest(among candidates: [Candidate]) throws -> QueryPlan? {
        guard prepared.sort.isEmpty, let nearCondition = selector.places.first(where: { $0.condition.isNear }) else {
            return nil
        }
        let access = candidates.map(\.access).first { access in
            if case .geo(let access) = access { access.condition.isNear } else { false }
        }
        guard let access else { throw QueryError.noGeoIndex(nearCondition.path) }
        return QueryPlan(prepared, [access], rejected: rejected, textCheck: text)
    }
}

extension CompleteIndex {
    fileprivate var isOfConflicts: Bool { definition.fields.contains { $0.name == "_conflicts" } }
}

extension FindQuery {
    /// Whether the query names the index.
    func names(_ index: IndexDescription) -> Bool {
        guard let design = self.index.first else { return false }
        return index.isNamed(design, self.index.count > 1 ? self.index[1] : nil)
    }
}

extension AccessPath {
    /// The number of the index's fields that the selector does not restrict.
    fileprivate var unrestrictedFields: Int {
        guard case .json(let access) = self else { return 0 }
        return access.definition.fields.count - access.restrictedFields
    }
}
