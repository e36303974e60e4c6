//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// The counts of requests and documents for each of the last minutes.
///
/// A minute that has passed is added when the next request arrives, or when the statistics are read. Therefore, no
/// timer is necessary. If several minutes have passed, those without requests have no times, and their memory value is
/// copied from the last minute with requests.
struct RecentMinutes: Sendable {
    /// The counts of one minute.
    struct Minute: Sendable {
        var requests = 0
        /// The number of responses with a status of 500 or above.
        var failures = 0
        /// `median` is the time in milliseconds within which half of the requests were completed. `slow` is the time
        /// within which 99 % were completed. Both are `nil` when the minute had no requests.
        var median: Double?
        var slow: Double?
        var memoryBytes = 0
        var documentsWritten = 0
        var documentsReplicated = 0
    }

    /// The maximum number of minutes: a day.
    private static let minutesMax = 1_440

    /// The complete minutes, the oldest first.
    private(set) var minutes: [Minute] = []
    /// The current minute, as the number of minutes since 1970; 0 before the first call of `advance`.
    private(set) var current = 0
    private var written = WriteCount.documents
    private var replicated = ReplicationJob.documentsReplicated

    /// Adds the minutes that have passed since the last call.
    ///
    /// - Parameters:
    ///   - now: The current time in seconds.
    ///   - counts: A closure that returns the counts and times of the requests since the last call. All these requests
    ///     are in one minute.
    mutating func advance(to now: Int, _ counts: () -> Minute) {
        let minute = now / 60
        guard minute > current else { return }
        defer { current = minute }
        guard current > 0 else { return }
        var ended = counts()
        ended.memoryBytes = ProcessUse.residentBytes ?? 0
        ended.documentsWritten = WriteCount.documents - written
        ended.documentsReplicated = ReplicationJob.documentsReplicated - replicated
        (written, replicated) = (WriteCount.documents, ReplicationJob.documentsReplicated)
        let idle = Minute(memoryBytes: ended.memoryBytes)
        minutes.append(ended)
        minutes += Array(repeating: idle, count: min(minute - current - 1, RecentMinutes.minutesMax))
        if minutes.count > RecentMinutes.minutesMax { minutes.removeFirst(minutes.count - RecentMinutes.minutesMax) }
    }

    /// Replaces the minutes by those of an earlier process, which ``value`` returned. The minutes in between have no
    /// requests. Does nothing if the value is damaged, or if its minutes are in the future.
    ///
    /// - Parameter now: The current time in seconds.
    mutating func restore(_ value: JSONValue, at now: Int) {
        guard value["seconds"]?.intValue == 60, let newest = value["newest"]?.intValue, newest >= 0,
            let stored = RecentMinutes.minutes(of: value)
        else { return }
        let (minute, end) = (now / 60, newest / 60 + 1)
        guard end <= minute else { return }
        minutes = stored.suffix(RecentMinutes.minutesMax)
        minutes += Array(repeating: Minute(), count: min(minute - end, RecentMinutes.minutesMax))
        if minutes.count > RecentMinutes.minutesMax { minutes.removeFirst(minutes.count - RecentMinutes.minutesMax) }
        current = minute
        assert(minutes.count <= RecentMinutes.minutesMax, "The history is at most a day.")
    }

    /// Reads the lists of a value; `nil` if a list is absent, or if their lengths differ.
    private static func minutes(of value: JSONValue) -> [Minute]? {
        func list(_ name: String) -> [JSONValue] { value[name]?.arrayValue ?? [] }
        let names = ["requests", "failures", "memory", "documents_written", "documents_replicated"]
        let (counts, half, most) = (names.map(list), list("p50"), list("p99"))
        guard let length = counts.first?.count, (counts + [half, most]).allSatisfy({ $0.count == length }) else {
            return nil
        }
        return (0..<length).map { index in
            let numbers = counts.map { max(0, $0[index].intValue ?? 0) }
            return Minute(
                requests: numbers[0], failures: numbers[1], median: half[index].doubleValue,
                slow: most[index].doubleValue, memoryBytes: numbers[2], documentsWritten: numbers[3],
                documentsReplicated: numbers[4])
        }
    }

    /// An object with one list for each kind of number. Each list contains the numbers of all minutes, the oldest
    /// first. The member `newest` is the time at which the newest minute began, in seconds since 1970.
    var value: JSONValue {
        func list(_ number: (Minute) -> JSONValue) -> JSONValue { .array(minutes.map(number)) }
        return [
            "seconds": 60, "newest": .integer(Int64((current - 1) * 60)),
            "requests": list { .integer(Int64($0.requests)) }, "failures": list { .integer(Int64($0.failures)) },
            "p50": list { $0.median.map { .double($0) } ?? .null },
            "p99": list { $0.slow.map { .double($0) } ?? .null },
            "memory": list { .integer(Int64($0.memoryBytes)) },
            "documents_written": list { .integer(Int64($0.documentsWritten)) },
            "documents_replicated": list { .integer(Int64($0.documentsReplicated)) },
        ]
    }
}
