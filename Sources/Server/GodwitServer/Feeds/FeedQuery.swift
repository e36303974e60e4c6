//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import HTTPTypes

/// The kind of a feed. A feed of kind `normal` contains the existing rows and then ends. A feed of kind `longpoll` also
/// ends after the existing rows. However, if no row exists, it first waits until there is one. A feed of another kind
/// ends only when its limit or timeout is reached.
enum FeedKind: String, Sendable {
    case normal, longpoll, continuous, eventsource

    /// Whether the feed continues after its first rows.
    var isEndless: Bool { self == .continuous || self == .eventsource }

    var contentType: String { self == .eventsource ? "text/event-stream" : "application/json" }
}

/// The parameters common to all feeds.
struct FeedQuery: Sendable {
    var kind = FeedKind.normal
    /// The sequence after which the feed begins, as received; `nil` for the beginning.
    var since: String?
    var limit: Int
    /// If this time passes without a row, the feed ends. `nil` for a feed with heartbeats, because such a feed waits
    /// without a time limit.
    var timeout: Duration?
    var heartbeat: Duration?
    /// The entity tag of the response; `nil` for a response without a tag, such as a feed that waits for changes.
    var tag: String?

    init(_ request: ServerRequest, limits: ServerLimits) throws(HTTPFailure) {
        let target = request.target
        // `live` is an alias of `continuous` in CouchDB.
        if let name = target.value("feed").map({ $0 == "live" ? "continuous" : $0 }) {
            guard let kind = FeedKind(rawValue: name) else {
                throw .badRequest("Supported `feed` types: normal, continuous, live, longpoll, eventsource")
            }
            self.kind = kind
        }
        // A browser that reconnects sends the id of the last event that it received.
        since = target.value("last-event-id") ?? target.value("since")
        if kind == .eventsource, let lastID = request.header(.lastEventID) { since = lastID }
        since = since.map { $0.filter { $0 != "\"" } }
        limit = try target.count("limit") ?? .max
        heartbeat = try FeedQuery.heartbeat(target, limits: limits)
        if heartbeat == nil {
            let requestedMilliseconds = try target.count("timeout") ?? limits.feedTimeoutMilliseconds
            timeout = .milliseconds(min(requestedMilliseconds, limits.feedTimeoutMilliseconds))
        }
    }

    private static func heartbeat(_ target: RequestTarget, limits: ServerLimits) throws(HTTPFailure) -> Duration? {
        switch target.value("heartbeat") {
        case nil, "false": return nil
        case "true": return .milliseconds(limits.heartbeatMilliseconds)
        default:
            guard let requestedMilliseconds = target.value("heartbeat").flatMap({ Int($0) }) else {
                throw .badRequest("Invalid heartbeat value. Expecting a positive integer value (in milliseconds).")
            }
            guard requestedMilliseconds > 0 else {
                throw .badRequest("The heartbeat value should be a positive integer (in milliseconds).")
            }
            return .milliseconds(
                min(
                    max(requestedMilliseconds, ServerLimits.heartbeatMillisecondsMin),
                    ServerLimits.heartbeatMillisecondsMax))
        }
    }
}

extension HTTPField.Name {
    fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
