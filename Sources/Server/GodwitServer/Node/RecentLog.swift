//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The last lines of the server's log, in memory, for the web console.
package final class RecentLog: Sendable {
    /// A line of the log.
    package struct Line: Sendable {
        /// The number of the line. The first line after the start of the server has the number 1.
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

    /// The maximum number of lines that can be read. Memory contains up to twice as many lines.
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

    /// Adds a line. If memory contains twice ``linesMax`` lines, the oldest ``linesMax`` of them are removed first.
    package func add(time: String, level: String, message: String, details: String) {
        state.withLock { state in
            state.count += 1
            // Many lines are removed together, because this takes less time than to remove one line for each new line.
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

    /// Returns the newest lines that follow a line. The oldest of them is first.
    ///
    /// - Parameters:
    ///   - number: The number of the line; 0 for the beginning.
    ///   - limit: The maximum number of lines. At most ``linesMax`` lines are returned, even if the limit is higher. If
    ///     more lines follow, the oldest of them are omitted.
    package func lines(after number: Int, limit: Int) -> [Line] {
        state.withLock { state in
            let newest = state.lines.suffix(min(limit, RecentLog.linesMax))
            return Array(newest.drop { $0.number <= number })
        }
    }
}
