//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitThreads
import Logging

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes lines of logs to standard error on a thread of its own.
///
/// Whoever reads standard error may be slow or gone to sleep, and anybody's functions may log without end: nobody waits for
/// a line to be written, and what is too much is left out and counted.
final class LogWriter: Sendable {
    static let shared = LogWriter()

    /// Lines that wait to be written.
    private static let linesWaitingMax = 1_000

    private struct State {
        var waiting = 0
        var leftOut = 0
    }

    private let state = Mutex(State())
    private let thread = BlockingPool(threadsMax: 1)

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
            if leftOut > 0 { StandardStream.error.write("godwit: \(leftOut) lines of the log were left out\n") }
            StandardStream.error.write(line.withEscapedControls + "\n")
            self.state.withLock { $0.waiting -= 1 }
        }
    }
}

/// The server's log, a line for each message: time, level, message, what goes with it.
struct StandardErrorLog: LogHandler {
    var logLevel = Logger.Level.notice
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, own in own }
        let details = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        LogWriter.shared.add("\(Date.now.formatted(.iso8601)) \(event.level) godwit: \(event.message)\(details)")
    }
}

extension String {
    /// The text with `\n`, `\r`, `\t` and `\u{…}` for control characters (C0, DEL, C1) and for the separators of lines and
    /// paragraphs and the marks of direction that Unicode has beside them.
    var withEscapedControls: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            case _ where scalar.isControl: escaped += "\\u{\(String(scalar.value, radix: 16))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
