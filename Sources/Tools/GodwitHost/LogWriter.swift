//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitServer
import GodwitStore

/// The format of a log line.
enum LogFormat: String, Sendable {
    /// Time, level, message, and metadata as `name=value`.
    case text
    /// A JSON object.
    case json
}

/// Writes lines of a log to standard error or to a file, on a separate thread.
///
/// The reader of standard error may be slow, and functions of design documents may log without limit. Therefore,
/// callers never wait until a line is written. If too many lines are waiting, further lines are dropped. The number of
/// dropped lines is written before the next line.
final class LogWriter: Sendable {
    /// The writer of the server's log.
    static let shared = LogWriter()

    /// The maximum number of lines that are waiting to be written.
    private static let linesWaitingMax = 1_000

    private struct State {
        var waitingCount = 0
        var droppedCount = 0
        var format = LogFormat.text
        /// The file; `nil` for standard error.
        var file: LogFile?
        var recent: RecentLog?
    }

    private let state = Mutex(State())
    private let thread = BlockingPool(threadsMax: 1)

    /// The format of lines.
    var format: LogFormat { state.withLock { $0.format } }

    /// The lines in memory; `nil` when none are kept.
    var recent: RecentLog? { state.withLock { $0.recent } }

    /// Sets the format of lines and the file that they are written to. If the file is `nil`, lines are written to
    /// standard error.
    ///
    /// - Parameter recent: Keeps the last lines in memory; `nil` to keep none.
    func configure(_ format: LogFormat, file: LogFile?, recent: RecentLog? = nil) {
        state.withLock { state in
            state.format = format
            state.file = file
            state.recent = recent
        }
    }

    /// Opens the file again by its name. This is necessary after another program has renamed the file.
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

    /// Writes a line, or drops it if too many lines are waiting. The control characters of the line are escaped.
    /// Therefore text from users can neither start another line nor control a terminal.
    func add(_ line: String) {
        let droppedCount = state.withLock { state -> Int? in
            guard state.waitingCount < LogWriter.linesWaitingMax else {
                state.droppedCount += 1
                return nil
            }
            state.waitingCount += 1
            defer { state.droppedCount = 0 }
            return state.droppedCount
        }
        guard let droppedCount else { return }
        thread.submit {
            let file = self.state.withLock { $0.file }
            let write = { (text: String) in
                if let file { file.write(text) } else { StandardStream.error.write(text) }
            }
            if droppedCount > 0 { write("godwit: \(droppedCount) lines of the log were left out\n") }
            write(line.withEscapedControls + "\n")
            self.state.withLock { $0.waitingCount -= 1 }
        }
    }
}
