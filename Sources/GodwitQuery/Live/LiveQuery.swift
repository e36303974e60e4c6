//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore
public import Observation

/// The results of a query, for a user interface that shows them as they change.
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
/// It begins at once and goes on until it is released, ``stop()`` is called or the datastore closed. The database is read
/// beside the main actor. It sees what ``Datastore/observe(_:fields:sort:limit:skip:)`` gives, at the same cost.
@MainActor
@Observable
public final class LiveQuery {
    /// The documents in order; empty until the query was run.
    public private(set) var documents: [Document] = []
    /// How ``documents`` differ from those before.
    public private(set) var differences = QueryDifferences()
    /// Whether the query was not run yet.
    public private(set) var isLoading = true
    /// Why there are no further results; `nil` while nothing failed.
    public private(set) var error: (any Error)?

    @ObservationIgnored private var task: Task<Void, Never>?

    /// Begins to follow a query.
    ///
    /// - Parameters:
    ///   - query: The query, without a bookmark. Its limit is 25 unless it says otherwise.
    ///   - datastore: Where.
    public init(_ query: FindQuery, in datastore: Datastore) {
        let results = datastore.observe(query)
        // While it waits it holds the task's parts alone, so that the last owner releases this.
        task = Task { [weak self] in
            do {
                for try await results in results { self?.show(results) }
                self?.end(nil)
            } catch {
                self?.end(error)
            }
        }
    }

    /// Begins to follow a query. See ``Datastore/observe(_:fields:sort:limit:skip:)``.
    ///
    /// - Parameters:
    ///   - selector: A Mango selector.
    ///   - fields: The members wanted; whole documents when it is `nil`.
    ///   - sort: In which order; that of the ids by default.
    ///   - limit: At most so many.
    ///   - skip: How many are left out at the beginning.
    ///   - datastore: Where.
    public convenience init(
        _ selector: JSONObject, fields: [String]? = nil, sort: [QueryField] = [], limit: Int = .max, skip: Int = 0,
        in datastore: Datastore
    ) {
        self.init(
            FindQuery(selector: selector, fields: fields, sort: sort, limit: limit, skip: skip), in: datastore)
    }

    deinit { task?.cancel() }

    /// Ends it; the documents stay as they are.
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
