//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit
import GodwitHost
import GodwitStore
import GodwitThreads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Shows how far something is: on a terminal as a line that is written over, otherwise as a line for each step that
/// changed it, or not at all.
final class ProgressLine: Sendable {
    private struct State {
        var shown: (done: Int, total: Int)?
        var isOpen = false
    }

    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private let isOnTerminalOnly: Bool
    private let state = Mutex(State())

    /// - Parameter isOnTerminalOnly: Whether nothing is shown where there is no terminal.
    init(isOnTerminalOnly: Bool = false) { self.isOnTerminalOnly = isOnTerminalOnly }

    func show(_ progress: ReplicationProgress) { show(progress.changesDone, of: progress.changesTotal) }

    func show(_ done: Int, of total: Int) {
        guard isTerminal || !isOnTerminalOnly else { return }
        state.withLock { state in
            let now = (done: done, total: total)
            guard now.total > 0, state.shown.map({ $0 != now }) ?? true else { return }
            state.shown = now
            let text = "Progress  \(now.done)/\(now.total)"
            StandardStream.output.write(isTerminal ? "\r\u{1B}[K\(text)" : text + "\n")
            state.isOpen = isTerminal
        }
    }

    /// Ends the line, so that the next one stands below it.
    func end() {
        state.withLock { state in
            if state.isOpen { StandardStream.output.write("\n") }
            state = State()
        }
    }
}
