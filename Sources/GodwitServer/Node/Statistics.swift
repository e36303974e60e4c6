//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitThreads
import HTTPTypes

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

        /// The numbers of requests, keyed by method. Methods without requests are omitted.
        var methods: [String: Int] {
            Dictionary(uniqueKeysWithValues: zip(Statistics.names, byMethod).filter { $0.1 > 0 })
        }

        /// The numbers of responses, keyed by status. Statuses without responses are omitted.
        var statuses: [Int: Int] {
            Dictionary(uniqueKeysWithValues: byStatus.enumerated().filter { $0.1 > 0 }.map { ($0.0, $0.1) })
        }
    }

    let started = WallClock.seconds
    private let counts = Mutex(Counts())

    /// The methods that are counted separately. Frequent methods are first, because the list is searched from its
    /// beginning. All other methods are counted as `OTHER`.
    fileprivate static let names = ["GET", "POST", "PUT", "HEAD", "DELETE", "COPY", "OPTIONS", "OTHER"]
    fileprivate static let statusMax = 599

    /// Counts one request.
    func count(_ method: HTTPRequest.Method, status: Int, time: Duration) {
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        let now = WallClock.seconds
        let index = Statistics.names.firstIndex(of: method.rawValue) ?? Statistics.names.count - 1
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

    /// The current numbers.
    var current: Counts { counts.withLock { $0 } }
}
