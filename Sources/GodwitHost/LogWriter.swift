//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitThreads

/// How a line of a log is written.
enum LogFormat: String, Sendable {
    /// Time, level, message, and what goes with it as `name=value`.
    case text
    /// One object of JSON.
    case json
}

/// Writes lines of a log to standard error or to a file, on a thread of its own.
///
/// Whoever reads standard error may be slow or gone to sleep, and anybody's functions may log without end: nobody waits for
/// a line to be written, and what is too much is left out and counted.
final class LogWriter: Sendable {
    /// The server's log.
    static let shared = LogWriter()

    /// Lines that wait to be written.
    private static let linesWaitingMax = 1_000

    private struct State {
        var waiting = 0
        var leftOut = 0
        var format = LogFormat.text
        /// `nil` for standard error.
        var file: LogFile?
    }

    private let state = Mutex(State())
    private let thread = BlockingPool(threadsMax: 1)

    /// How lines are written.
    var format: LogFormat { state.withLock { $0.format } }

    /// Sets how lines are written, and to which file; `nil` for standard error.
    func configure(_ format: LogFormat, file: LogFile?) {
        state.withLock { state in
            state.format = format
            state.file = file
        }
    }

    /// Opens the file anew under its name, after another program renamed it.
    func reopen() {
        thread.submit {
            guard let file = self.state.withLock(\.file) else { return }
            do {
                try file.reopen()
            } catch {
                StandardStream.error.write("godwit: the log cannot be reopened: \(error)\n")
            }
        }
    }

    /// Writes a line, or leaves it out. Control characters in it are escaped: whoever chose a part of it makes no line of
    /// their own, and gives a terminal no orders.
    func add(_ line: String) {
        let leftOut = state.withLock { state -> Int? in
            guard state.waiting < LogWriter.linesWaitingMax else {
                state.leftOut += 1
                return nil
            }
            state.waiting += 1
            defer { state.leftOut = 0 }
            return state.leftOut
        }
        guard let leftOut else { return }
        thread.submit {
            let file = self.state.withLock { $0.file }
            let write = { (text: String) in
                if let file { file.write(text) } else { StandardStream.error.write(text) }
            }
            if leftOut > 0 { write("godwit: \(leftOut) lines of the log were left out\n") }
            write(line.withEscapedControls + "\n")
            self.state.withLock { $0.waiting -= 1 }
        }
    }
}
