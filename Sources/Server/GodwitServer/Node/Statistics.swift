//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import HTTPTypes

import struct Synchronization.Atomic

/// Counts the requests of the server since its start.
final class Statistics: Sendable {
    struct Counts: Sendable {
        var requests = 0
        fileprivate var byMethod = [Int](repeating: 0, count: Statistics.names.count)
        fileprivate var byStatus = [Int](repeating: 0, count: Statistics.statusMax + 1)
        var seconds = 0.0
        var slowest = 0.0
        fileprivate var recentTimes = RecentTimes()
        fileprivate var recentMinutes = RecentMinutes()
        /// The number of requests up to the end of the last complete minute. `failuresBefore` is the same number for
        /// failures.
        fileprivate var requestsBefore = 0
        fileprivate var failuresBefore = 0

        private var failures: Int { byStatus[500...].reduce(0, +) }

        /// Adds the minutes that have passed before a time to the recent minutes.
        fileprivate mutating func advance(to now: Int) {
            guard now / 60 > recentMinutes.current else { return }
            let times = requests > requestsBefore ? recentTimes.milliseconds(ofCurrentWindow: [50, 99]) : []
            let minute = RecentMinutes.Minute(
                requests: requests - requestsBefore, failures: failures - failuresBefore, median: times.first,
                slow: times.last)
            (requestsBefore, failuresBefore) = (requests, failures)
            recentMinutes.advance(to: now) { minute }
        }

        /// The numbers of requests, keyed by method. `OTHER` is omitted while there are no such requests.
        var methods: [String: Int] {
            Dictionary(
                uniqueKeysWithValues: zip(Statistics.names, byMethod).filter { $0.0 != "OTHER" || $0.1 > 0 })
        }

        /// The numbers of responses, keyed by status: the statuses of CouchDB, and others that occurred.
        var statuses: [Int: Int] {
            Dictionary(
                uniqueKeysWithValues: byStatus.enumerated().filter {
                    $0.1 > 0 || Statistics.statusesOfCouchDB.contains($0.0)
                }.map { ($0.0, $0.1) })
        }
    }

    /// A number that is counted without a lock.
    final class Counter: Sendable {
        private let value = Atomic(0)

        func add(_ change: Int) { value.wrappingAdd(change, ordering: .relaxed) }

        var current: Int { value.load(ordering: .relaxed) }
    }

    let started = WallClock.seconds
    /// The number of requests of `_bulk_docs` and `_bulk_get`.
    let bulkRequests = Counter()
    /// The number of requests of views and lists.
    let viewReads = Counter()
    /// The number of documents that were read by their ids.
    let documentReads = Counter()
    /// The number of requests of `_purge`.
    let purgeRequests = Counter()
    /// The number of open requests of `_changes`.
    let changesRequests = Counter()
    private let counts = Mutex(Counts())

    /// The methods that are counted separately. Frequent methods are first, because the list is searched from its
    /// beginning. All other methods are counted as `OTHER`.
    fileprivate static let names = ["GET", "POST", "PUT", "HEAD", "DELETE", "COPY", "OPTIONS", "OTHER"]
    fileprivate static let statusMax = 599
    /// The statuses that CouchDB lists from the start. Monitors report an absent counter as an error.
    fileprivate static let statusesOfCouchDB: Set = [
        200, 201, 202, 204, 206, 301, 302, 304, 400, 401, 403, 404, 405, 406, 409, 412, 413, 414, 415, 416, 417, 500,
        501, 503, 507,
    ]

    /// Counts one request.
    func count(_ method: HTTPRequest.Method, status: Int, time: Duration) {
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        let now = WallClock.seconds
        let index = Statistics.names.firstIndex(where: method.rawValue.isIdenticalText) ?? Statistics.names.count - 1
        counts.withLock { counts in
            counts.advance(to: now)
            counts.byMethod[index] += 1
            counts.byStatus[min(max(status, 0), Statistics.statusMax)] += 1
            counts.requests += 1
            counts.seconds += seconds
            counts.slowest = max(counts.slowest, seconds)
            counts.recentTimes.add(microseconds: UInt64(max(0, seconds) * 1e6), now: now)
        }
    }

    /// Returns percentiles of the times of the requests in the current minute and the minute before, in milliseconds.
    /// The list is empty if there were no requests.
    ///
    /// - Parameter parts: The percentages, ascending.
    func recentMilliseconds(within parts: [Int]) -> [Double] {
        let now = WallClock.seconds
        return counts.withLock { counts in
            counts.advance(to: now)
            return counts.recentTimes.milliseconds(within: parts, now: now)
        }
    }

    /// The counts of requests and documents in each of the last minutes (``RecentMinutes/value``).
    var history: JSONValue {
        counts.withLock { counts in
            counts.advance(to: WallClock.seconds)
            return counts.recentMinutes.value
        }
    }

    /// Continues the history of an earlier process (``RecentMinutes/restore(_:at:)``).
    func restore(_ history: JSONValue) {
        counts.withLock { $0.recentMinutes.restore(history, at: WallClock.seconds) }
    }

    /// The current numbers.
    var current: Counts { counts.withLock { $0 } }
}
