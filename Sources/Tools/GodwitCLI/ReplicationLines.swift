//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitDatabase
import GodwitHost
import GodwitJSON
import GodwitStore

/// Shows the progress of `godwit replicate`. If lines of JSON were requested, writes these lines. Otherwise, shows a
/// bar if standard output is a terminal, and writes lines of text if it is not.
final class ReplicationLines: Sendable {
    private struct State {
        var lastShown = ContinuousClock.Instant?.none
        var start: (time: ContinuousClock.Instant, done: Int)?
        var isOpen = false
        var trouble = (message: "", count: 0)
        /// The number of replicated changes when the last report of ``idle()`` was written; `nil` before the first
        /// report.
        var idleDone: Int?
        var done = 0
        /// The newest progress. It is possible that the bar has not shown it yet.
        var latest: ReplicationProgress?
    }

    /// The minimum time between two updates of the bar. ``lineMilliseconds`` is the minimum time between two lines.
    private static let barMilliseconds = 100
    private static let lineMilliseconds = 1_000
    private static let barCharacters = 30

    private let isJSON: Bool
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private let state = Mutex(State())

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Shows an event.
    func show(_ event: ReplicationEvent) {
        switch event {
        case .progress(let progress): show(progress)
        case .state(.idle): idle()
        case .trouble(let error): complain(error.message)
        case .state, .failure: break
        }
    }

    /// Shows the final progress in the bar and writes a newline.
    func end() {
        let latest = state.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen ? state.latest : nil
        }
        if let latest { StandardStream.output.write("\r\u{1B}[K\(ReplicationLines.text(latest, rate: 0))\n") }
    }

    private func printLine(_ line: String) {
        end()
        CommandText.printLine(line)
    }

    /// Reports that all changes are replicated, if there were new changes since the last report.
    private func idle() {
        let done = state.withLock { state -> Int? in
            defer { state.idleDone = state.done }
            return state.idleDone == state.done ? nil : state.done
        }
        guard let done else { return }
        if isJSON {
            CommandText.printLine("{\"state\":\"idle\",\"done\":\(done)}")
        } else {
            printLine("Up to date, \(CommandText.count(done, "change")). Waiting for more.")
        }
    }

    /// Reports an error when it occurs for the second time in succession, and not again after that.
    private func complain(_ message: String) {
        let isReported = state.withLock { state in
            state.trouble = (message, state.trouble.message.isIdenticalText(to: message) ? state.trouble.count + 1 : 1)
            return state.trouble.count == 2
        }
        guard isReported else { return }
        end()
        CommandText.complain("\(message) Trying again.")
    }

    private func show(_ progress: ReplicationProgress) {
        state.withLock { ($0.done, $0.latest) = (progress.changesDone, progress) }
        guard progress.changesTotal > 0, let elapsed = progressToShow(progress) else { return }
        let rate = elapsed.0 > 0 ? Double(elapsed.1) / elapsed.0 : 0
        if isJSON {
            let line: JSONValue = [
                "done": .integer(Int64(progress.changesDone)), "total": .integer(Int64(progress.changesTotal)),
                "docs_read": .integer(Int64(progress.counts.documentsRead)),
                "docs_written": .integer(Int64(progress.counts.documentsWritten)),
                "doc_write_failures": .integer(Int64(progress.counts.writeFailures)),
                "attachment_bytes": .integer(Int64(progress.attachmentBytes)),
            ]
            return CommandText.printLine((["progress": line] as JSONValue).jsonText())
        }
        let text = ReplicationLines.text(progress, rate: rate)
        StandardStream.output.write(isTerminal ? "\r\u{1B}[K\(text)" : text + "\n")
        state.withLock { $0.isOpen = isTerminal }
    }

    /// Decides whether to show progress now.
    ///
    /// - Returns: The seconds and changes since the first progress; `nil` when it is too early.
    private func progressToShow(_ progress: ReplicationProgress) -> (Double, Int)? {
        let now = ContinuousClock.now
        let pause = isTerminal && !isJSON ? ReplicationLines.barMilliseconds : ReplicationLines.lineMilliseconds
        return state.withLock { state in
            let start = state.start ?? (now, progress.changesDone)
            state.start = start
            if let lastShown = state.lastShown, now - lastShown < .milliseconds(pause) { return nil }
            // A replication that ends within the first interval shows no bar.
            if state.lastShown == nil, now - start.time < .milliseconds(pause) { return nil }
            state.lastShown = now
            return ((now - start.time) / .seconds(1), progress.changesDone.subtractingSaturated(start.done))
        }
    }

    private static func text(_ progress: ReplicationProgress, rate: Double) -> String {
        let (done, total) = (progress.changesDone, progress.changesTotal)
        let part = min(max(Double(done) / Double(max(total, 1)), 0), 1)
        let filled = Int(saturating: Double(barCharacters) * part)
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: barCharacters - filled)
        var text = "[\(bar)] \(done)/\(total)"
        if rate >= 1 {
            let seconds = max(0, (Double(total) - Double(done)) / rate).rounded(.up)
            text += "  \(Int(saturating: rate))/s  \(Int(saturating: seconds)) s left"
        }
        if progress.attachmentBytes > 0 { text += "  \(progress.attachmentBytes >> 20) MB of attachments" }
        return text
    }
}
