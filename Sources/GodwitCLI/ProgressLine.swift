//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitHost
import GodwitThreads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A line on a terminal that says how far a long work is: how much is done, how fast it goes, and how long it will take. Where
/// there is no terminal it writes nothing.
///
///     12.5 of 40.0 MB  5.1 MB/s  6 s left
final class ProgressLine: Sendable {
    /// What is counted.
    enum Unit: Sendable {
        case bytes
        /// Pages of SQLite, which are shown as bytes.
        case pages
        case documents, changes

        func text(_ count: Int) -> String {
            switch self {
            case .documents, .changes: "\(count)"
            case .bytes: Unit.megabytes(count)
            case .pages: Unit.megabytes(count * Unit.pageBytes)
            }
        }

        var name: String {
            switch self {
            case .documents: "documents"
            case .changes: "changes"
            case .bytes, .pages: "MB"
            }
        }

        private static let pageBytes = 4_096

        /// With one digit behind the point.
        private static func megabytes(_ bytes: Int) -> String {
            let tenths = bytes / 100_000
            return "\(tenths / 10).\(tenths % 10)"
        }
    }

    private struct State {
        var begun: (time: ContinuousClock.Instant, done: Int)?
        var shown: ContinuousClock.Instant?
        var last: (done: Int, total: Int)?
        var isOpen = false
    }

    /// The least time between two pictures of the line.
    private static let pause = Duration.milliseconds(100)
    /// After so long a rate can be told.
    private static let rateDelay = Duration.seconds(1)

    private let unit: Unit
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private let state = Mutex(State())

    init(_ unit: Unit) { self.unit = unit }

    /// Shows how much is done.
    func show(_ done: Int, of total: Int) {
        guard isTerminal, total > 0 else { return }
        let now = ContinuousClock.now
        state.withLock { state in
            let begun = state.begun ?? (now, done)
            (state.begun, state.last) = (begun, (done, total))
            guard state.shown.map({ now - $0 >= Self.pause }) ?? true else { return }
            state.shown = now
            state.isOpen = true
            write(done, of: total, since: begun, at: now)
        }
    }

    /// Shows the final progress and writes a newline.
    func end() {
        state.withLock { state in
            if state.isOpen, let begun = state.begun, let last = state.last {
                write(last.done, of: last.total, since: begun, at: .now)
                StandardStream.output.write("\n")
            }
            state = State()
        }
    }

    private func write(
        _ done: Int, of total: Int, since begun: (time: ContinuousClock.Instant, done: Int),
        at now: ContinuousClock.Instant
    ) {
        var text = "\(unit.text(done)) of \(unit.text(total)) \(unit.name)"
        let time = now - begun.time
        if time >= Self.rateDelay, done > begun.done {
            let rate = Double(done - begun.done) / (time / .seconds(1))
            text += "  \(unit.text(Int(rate))) \(unit.name)/s"
            if total > done { text += "  \(Int((Double(total - done) / rate).rounded(.up))) s left" }
        }
        StandardStream.output.write("\r\u{1B}[K\(text)")
    }
}
