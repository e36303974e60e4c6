//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitHost

/// A progress line on a terminal for long operations: the amount done, the rate, and the remaining time. If standard
/// output is not a terminal, nothing is written.
///
///     12.5 of 40.0 MB  5.1 MB/s  6 s left
final class ProgressLine: Sendable {
    /// The unit that is counted.
    enum Unit: Sendable {
        case bytes
        /// Pages of SQLite of 4,096 bytes, shown as megabytes.
        case pages
        case documents, changes, databases

        func text(_ count: Int) -> String {
            switch self {
            case .documents, .changes, .databases: "\(count)"
            case .bytes: Unit.megabytes(count)
            case .pages: Unit.megabytes(count * Unit.pageBytes)
            }
        }

        var name: String {
            switch self {
            case .documents: "documents"
            case .changes: "changes"
            case .databases: "databases"
            case .bytes, .pages: "MB"
            }
        }

        private static let pageBytes = 4_096

        /// Returns the number of megabytes with one decimal digit.
        private static func megabytes(_ bytes: Int) -> String {
            let tenths = bytes / 100_000
            return "\(tenths / 10).\(tenths % 10)"
        }
    }

    private struct State {
        var start: (time: ContinuousClock.Instant, done: Int)?
        var lastShown: ContinuousClock.Instant?
        var latest: (done: Int, total: Int)?
        var isOpen = false
    }

    /// The minimum time between two updates of the line.
    private static let minimumInterval = Duration.milliseconds(100)
    /// The time after which a rate is shown.
    private static let rateDelay = Duration.seconds(1)

    private let unit: Unit
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private let state = Mutex(State())

    init(_ unit: Unit) { self.unit = unit }

    /// Shows the progress.
    func show(_ done: Int, of total: Int) {
        guard isTerminal, total > 0 else { return }
        let now = ContinuousClock.now
        state.withLock { state in
            let start = state.start ?? (now, done)
            (state.start, state.latest) = (start, (done, total))
            guard state.lastShown.map({ now - $0 >= Self.minimumInterval }) ?? true else { return }
            state.lastShown = now
            state.isOpen = true
            write(done, of: total, since: start, at: now)
        }
    }

    /// Shows the final progress and writes a newline.
    func end() {
        state.withLock { state in
            if state.isOpen, let start = state.start, let latest = state.latest {
                write(latest.done, of: latest.total, since: start, at: .now)
                StandardStream.output.write("\n")
            }
            state = State()
        }
    }

    private func write(
        _ done: Int, of total: Int, since start: (time: ContinuousClock.Instant, done: Int),
        at now: ContinuousClock.Instant
    ) {
        var text = "\(unit.text(done)) of \(unit.text(total)) \(unit.name)"
        let time = now - start.time
        if time >= Self.rateDelay, done > start.done {
            let rate = (Double(done) - Double(start.done)) / (time / .seconds(1))
            text += "  \(unit.text(Int(saturating: rate))) \(unit.name)/s"
            let rest = Double(total) - Double(done)
            if total > done { text += "  \(Int(saturating: (rest / rate).rounded(.up))) s left" }
        }
        StandardStream.output.write("\r\u{1B}[K\(text)")
    }
}
