//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore
public import Observation

/// The results of a query, observable by a user interface that shows them as they change.
///
/// ```swift
/// struct TripList: View {
///     @State var trips: LiveQuery
///
///     var body: some View {
///         List(trips.documents, id: \.id) { trip in Text(trip.body["title"]?.stringValue ?? "") }
///     }
/// }
///
/// TripList(trips: LiveQuery(["type": "trip"], sort: ["start"], in: datastore))
/// ```
///
/// The query starts at once and runs until the object is released, ``stop()`` is called, the datastore is closed or an
/// error occurs. The query reads the database outside the main actor. Its results and its cost are those of
/// ``Datastore/observe(_:fields:sort:limit:skip:)``.
@MainActor
@Observable
public final class LiveQuery {
    /// The documents in order; empty until the query has run.
    public private(set) var documents: [Document] = []
    /// The differences between ``documents`` and the previous results.
    public private(set) var differences = QueryDifferences()
    /// Whether the query has not yet returned its first results.
    public private(set) var isLoading = true
    /// The error that ended the query; `nil` while no error has occurred.
    public private(set) var error: (any Error)?

    @ObservationIgnored private var task: Task<Void, Never>?

    /// Starts following a query.
    ///
    /// - Parameters:
    ///   - query: The query, without a bookmark. Its default limit is 25.
    ///   - datastore: The database.
    public init(_ query: FindQuery, in datastore: Datastore) {
        let results = datastore.observe(query)
        // While the task waits, it does not retain this object, so that the last owner can release it.
        task = Task { [weak self] in
            do {
                for try await results in results { self?.show(results) }
                self?.end(nil)
            } catch {
                self?.end(error)
            }
        }
    }

    /// Starts following a query. See ``Datastore/observe(_:fields:sort:limit:skip:)``.
    ///
    /// - Parameters:
    ///   - selector: A Mango selector.
    ///   - fields: The members to return; `nil` for complete documents.
    ///   - sort: The order. Without a sort, documents are ordered by their ids, or by the relevance of a `$text` or the
    ///     distance of a `$near`.
    ///   - limit: The maximum number of documents.
    ///   - skip: The number of documents to skip at the beginning.
    ///   - datastore: The database.
    public convenience init(
        _ selector: JSONObject, fields: [String]? = nil, sort: [QueryField] = [], limit: Int = .max, skip: Int = 0,
        in datastore: Datastore
    ) {
        self.init(
            FindQuery(selector: selector, fields: fields, sort: sort, limit: limit, skip: skip), in: datastore)
    }

    deinit { task?.cancel() }

    /// Stops the query. The documents stay unchanged.
    public func stop() {
        task?.cancel()
        isLoading = false
    }

    private func show(_ results: QueryResults) {
        guard task?.isCancelled == false else { return }
        documents = results.documents
        differences = results.differences
        if isLoading { isLoading = false }
    }

    private func end(_ error: (any Error)?) {
        isLoading = false
        self.error = error
    }
}
