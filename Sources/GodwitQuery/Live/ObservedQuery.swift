//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore
import GodwitText

extension Datastore {
    /// The documents that meet a selector, now and after every change of them.
    ///
    /// ```swift
    /// for try await results in trips.observe(["type": "trip"], sort: [.descending("km")], limit: 10) {
    ///     show(results.documents)
    /// }
    /// ```
    ///
    /// The first element has the results as they are; each further one has them as they are then, and how they differ
    /// from the element before. There is none while the results stay the same. Whatever was written while the consumer
    /// was busy makes one element: it reads the changes at the consumer's pace, nothing is queued for it, and a slow one
    /// holds nobody up. The sequence ends when the task is cancelled or the datastore closed.
    ///
    /// The query is run once; from then on each changed document is held against the selector. It is run again when more
    /// results left than a query with a limit holds in reserve, when more documents were purged at a time than are
    /// remembered, and, where the selector has a `$text`, whenever a document changes that may be found by it.
    ///
    /// What is wrong with the query is thrown at the first element, as ``find(_:)`` throws it; where there are more
    /// results than ``QueryLimits/liveRowsMax``, ``StoreError`` with code ``StoreError/Code/invalidRequest`` is thrown
    /// as soon as there are.
    ///
    /// - Parameters:
    ///   - selector: A Mango selector.
    ///   - fields: The members wanted, inner ones with dots; whole documents when it is `nil`. A document of which the
    ///     others change does not differ.
    ///   - sort: In which order; equal ones are in the order of their ids, as all are without it, save that a `$text`
    ///     has its best matches first. Documents without a field come first.
    ///   - limit: At most so many.
    ///   - skip: How many are left out at the beginning.
    /// - Complexity: O(1) for a change that concerns no result; O(*n*) in the number of results for one that does.
    public func observe(
        _ selector: JSONObject, fields: [String]? = nil, sort: [QueryField] = [], limit: Int = .max, skip: Int = 0
    ) -> ObservedQuery {
        observe(FindQuery(selector: selector, fields: fields, sort: sort, limit: limit, skip: skip))
    }

    /// The documents that a query finds, now and after every change of them. See ``observe(_:fields:sort:limit:skip:)``.
    ///
    /// - Parameter query: The query, without a bookmark. Its limit is 25 unless it says otherwise.
    public func observe(_ query: FindQuery) -> ObservedQuery { ObservedQuery(datastore: self, query: query) }
}

/// The results of a live query at one time.
public struct QueryResults: Sendable {
    /// The documents in order. Where fields were chosen they hold these alone, as those of ``FindPage`` do.
    public let documents: [Document]
    /// How they differ from those of the element before; in the first element all of them entered.
    public let differences: QueryDifferences
}

/// The results of a query as they change. See ``Datastore/observe(_:fields:sort:limit:skip:)``.
public struct ObservedQuery: AsyncSequence, Sendable {
    /// The results at one time.
    public typealias Element = QueryResults

    let datastore: Datastore
    let query: FindQuery

    /// Runs the query.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Follows the results.
    public struct Iterator: AsyncIteratorProtocol {
        let sequence: ObservedQuery
        private var run: LiveRun?
        // Documents are kept because each element has all of them; the arrays share what did not change.
        private var documents: [Document] = []
        private var isOver = false

        init(sequence: ObservedQuery) { self.sequence = sequence }

        /// The results, as soon as they are not those that were given last.
        public mutating func next() async throws -> QueryResults? {
            guard !isOver else { return nil }
            do {
                if run == nil { run = try LiveRun(sequence.query, in: sequence.datastore, withDocuments: true) }
                while !Task.isCancelled {
                    if let step = try await run!.step() { return try results(after: step) }
                    guard await sequence.datastore.waitForChange(after: run!.sequence) else { break }
                }
            } catch {
                isOver = true
                if error is CancellationError || (error as? StoreError)?.code == .closed { return nil }
                throw StoreError(query: error, subject: "observing \(sequence.datastore.name)")
            }
            isOver = true
            return nil
        }

        private mutating func results(after step: LiveRun.Step) throws -> QueryResults {
            documents = try step.differences.applied(to: documents) { position in
                try step.documents[position]?.document() ?? Document(body: [:])
            }
            return QueryResults(documents: documents, differences: step.differences)
        }
    }
}
