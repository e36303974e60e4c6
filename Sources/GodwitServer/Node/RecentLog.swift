//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

/// The last lines of the server's log, in memory, for the web console.
package final class RecentLog: Sendable {
    /// A line of the log.
    package struct Line: Sendable {
        /// The number of the line since the start of the server, from 1.
        package let number: Int
        /// The time, by ISO 8601.
        package let time: String
        /// The level, such as `notice`.
        package let level: String
        /// The message without metadata, cut to 2000 characters.
        package let message: String
        /// The metadata as `name=value`, separated by spaces, cut to 2000 characters.
        package let details: String
    }

    /// The maximum number of lines that can be read. Up to twice as many are in memory.
    package static let linesMax = 1_000
    /// The maximum length of a message, and of its details. Longer texts are cut.
    private static let charactersMax = 2_000

    private struct State {
        var lines: [Line] = []
        var count = 0
    }

    private let state = Mutex(State())

    /// Creates an empty log.
    package init() {}

    /// Adds a line. If there are too many lines, removes the oldest ``linesMax`` lines.
    package func add(time: String, level: String, message: String, details: String) {
        state.withLock { state in
            state.count += 1
            // To remove many lines together costs less than to remove them one by one.
            if state.lines.count >= RecentLog.linesMax * 2 { state.lines.removeFirst(RecentLog.linesMax) }
            state.lines.append(
                Line(
                    number: state.count, time: time, level: level,
                    message: String(message.prefix(RecentLog.charactersMax)),
                    details: String(details.prefix(RecentLog.charactersMax))))
        }
    }

    /// The number of the newest line; 0 without lines.
    package var newestNumber: Int { state.withLock { $0.count } }

    /// Returns the newest lines after a line, the oldest first.
    ///
    /// - Parameters:
    ///   - number: The number of the line; 0 for the beginning.
    ///   - limit: The maximum number of lines. At most ``linesMax`` lines are returned, even if the limit is higher. If
    ///     there are more lines, the oldest of them are left out.
    package func lines(after number: Int, limit: Int) -> [Line] {
        state.withLock { state in
            let newest = state.lines.suffix(min(limit, RecentLog.linesMax))
            return Array(newest.drop { $0.number <= number })
        }
    }
}
