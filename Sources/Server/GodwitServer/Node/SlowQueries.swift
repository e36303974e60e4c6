//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import HTTPTypes
import Logging

/// Handles a query.
///
/// - Returns: The metadata that are logged if the query was slow. The metadata contain no values of the query. `nil` if
///   the request was a feed, because the duration of a feed says nothing about its speed. Only if a feed fails, it may
///   be logged as slow.
typealias QueryHandler = @Sendable (RequestContext) async throws -> Logger.Metadata?

/// The latest slow queries. They include Mango queries, and queries of views, text indexes and geospatial indexes.
final class SlowQueries: Sendable {
    /// A slow query. The entry contains neither the parameters of the URL nor the body, because these may contain
    /// secrets.
    struct Entry: Sendable {
        let time: Int
        let method: String
        let path: String
        let status: Int
        let milliseconds: Int
        /// The name of the principal; `nil` for an anonymous client.
        let user: String?
    }

    /// The maximum number of queries in memory.
    private static let entriesMax = 50
    /// The maximum number of characters of a path. A longer path is cut.
    private static let charactersMax = 500

    private let entries = Mutex<[Entry]>([])

    /// Adds a query, and removes the oldest one if there are too many.
    fileprivate func add(_ context: RequestContext, status: Int, milliseconds: Int) {
        let path = context.request.head.path?.prefix { $0 != "?" } ?? ""
        let entry = Entry(
            time: WallClock.seconds, method: context.request.head.method.rawValue,
            path: String(path.prefix(SlowQueries.charactersMax)), status: status, milliseconds: milliseconds,
            user: context.principal.name)
        entries.withLock { entries in
            if entries.count == SlowQueries.entriesMax { entries.removeFirst() }
            entries.append(entry)
        }
    }

    /// The queries, the newest first.
    var newest: [Entry] { entries.withLock { $0.reversed() } }
}

extension ServerContext {
    /// Returns a handler that runs a query and measures its time. A slow query is logged and listed, even if it fails.
    func timed(_ handler: @escaping QueryHandler) -> Handler {
        { context in
            let start = ContinuousClock.now
            do {
                guard let details = try await handler(context) else { return }
                note(context, since: start, status: context.response.status, details)
            } catch {
                note(context, since: start, status: Int(HTTPFailure(error).status.code), [:])
                throw error
            }
        }
    }

    private func note(
        _ context: RequestContext, since start: ContinuousClock.Instant, status: Int, _ details: Logger.Metadata
    ) {
        let milliseconds = Int((ContinuousClock.now - start).milliseconds)
        guard milliseconds >= settings.options.slowQueryMilliseconds else { return }
        slowQueries.add(context, status: status, milliseconds: milliseconds)
        audit.slowQuery(of: context.request.parameter("db"), milliseconds: milliseconds, details)
    }
}
