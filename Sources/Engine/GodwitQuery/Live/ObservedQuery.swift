//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore
import GodwitText

extension Datastore {
    /// Returns the documents that match a selector as an asynchronous sequence of results, with an element after each
    /// change.
    ///
    /// ```swift
    /// for try await results in trips.observe(["type": "trip"], sort: [.descending("km")], limit: 10) {
    ///     show(results.documents)
    /// }
    /// ```
    ///
    /// The first element contains the current results. Each further element contains the new results and their
    /// differences from the previous element. There is no new element while the results are unchanged. All writes that
    /// happen while the consumer processes an element are combined into the next element. The sequence reads changes at
    /// the consumer's pace and queues nothing, so a slow consumer blocks no other work. The sequence ends when the task
    /// is cancelled or the datastore is closed.
    ///
    /// The query runs once. From then on, each changed document is tested against the selector. The query runs again in
    /// three cases:
    ///
    /// - The query has a limit, and more results have left than its reserve contains.
    /// - More documents were purged since the last element than the database file lists.
    /// - The selector has a `$text`, and a changed document matches the selector or was a result.
    ///
    /// If the query is invalid, the request for the first element throws the errors of ``find(_:)``. ``StoreError``
    /// with code ``StoreError/Code/invalidRequest`` is thrown as soon as a query without a limit has more than
    /// ``QueryLimits/liveRowsMax`` results. A query whose `skip` and `limit` add up to more than this maximum throws
    /// the same error.
    ///
    /// - Parameters:
    ///   - selector: A Mango selector.
    ///   - fields: The members to return, with dotted paths for members of inner objects; `nil` for complete documents.
    ///     A change of other members is not a difference.
    ///   - sort: The order. Documents with equal values are ordered by their ids. Without a sort, documents are ordered
    ///     by the relevance of a `$text`, by the distance of a `$near`, or otherwise by their ids. Documents that lack
    ///     a field of the order come first in ascending order, and last in descending order.
    ///   - limit: The maximum number of documents.
    ///   - skip: The number of documents to skip at the beginning.
    /// - Complexity: O(1) for a change that concerns no result; O(*n*) in the number of results for other changes.
    public func observe(
        _ selector: JSONObject, fields: [String]? = nil, sort: [QueryField] = [], limit: Int = .max, skip: Int = 0
    ) -> ObservedQuery {
        observe(FindQuery(selector: selector, fields: fields, sort: sort, limit: limit, skip: skip))
    }

    /// Returns the documents that a query finds as an asynchronous sequence of results, with an element after each
    /// change. See ``observe(_:fields:sort:limit:skip:)``.
    ///
    /// - Parameter query: The query, without a bookmark. Its default limit is 25.
    public func observe(_ query: FindQuery) -> ObservedQuery { ObservedQuery(datastore: self, query: query) }
}

/// The results of a live query at one point in time.
public struct QueryResults: Sendable {
    /// The documents in order. If fields were selected, they contain only these fields, as in ``FindPage``.
    public let documents: [Document]
    /// The differences from the previous element. In the first element, all documents have entered.
    public let differences: QueryDifferences
}

/// An asynchronous sequence of the results of a query, with an element after each change. See
/// ``Datastore/observe(_:fields:sort:limit:skip:)``.
public struct ObservedQuery: AsyncSequence, Sendable {
    /// The results at one point in time.
    public typealias Element = QueryResults

    let datastore: Datastore
    let query: FindQuery

    /// Creates an iterator, which runs the query.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Follows the results.
    public struct Iterator: AsyncIteratorProtocol {
        let sequence: ObservedQuery
        private var liveRun: LiveRun?
        // The documents are stored because each element contains all of them. Successive elements share unchanged
        // documents.
        private var documents: [Document] = []
        private var hasEnded = false

        init(sequence: ObservedQuery) { self.sequence = sequence }

        /// Returns the results as soon as they differ from the previous results. Returns `nil` after the task was
        /// cancelled, after the datastore was closed, and after an error was thrown.
        public mutating func next() async throws -> QueryResults? {
            guard !hasEnded else { return nil }
            do {
                if liveRun == nil { liveRun = try LiveRun(sequence.query, in: sequence.datastore, withDocuments: true) }
                while !Task.isCancelled {
                    if let step = try await liveRun!.step() { return try results(after: step) }
                    guard await sequence.datastore.waitForChange(after: liveRun!.sequence) else { break }
                }
            } catch {
                hasEnded = true
                if error is CancellationError || (error as? StoreError)?.code == .closed { return nil }
                throw StoreError(query: error, subject: "observing \(sequence.datastore.name)")
            }
            hasEnded = true
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
