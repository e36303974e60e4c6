//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ArgumentParser
import Dispatch
import GodwitBase
import GodwitServer
import Logging

/// The options for a server's logs.
public struct LogOptions: ParsableArguments {
    @Option(
        help:
            "The lowest level that is logged: trace, debug, info, notice, warning, error, critical. (default: notice)",
        transform: LogOptions.level)
    var logLevel: Logger.Level?

    @Option(help: "The format of log lines: text or json. (default: text)", transform: LogOptions.format)
    var logFormat: LogFormat?

    @Option(help: ArgumentHelp("The file for the log. (default: standard error)", valueName: "file"))
    var logFile: String?

    @Option(
        help: ArgumentHelp(
            "The file for a line for each request; - is standard error. (default: none)", valueName: "file"))
    var accessLog: String?

    /// Creates options without values. The value of each option then comes from its environment variable. If the
    /// variable is missing, the default is used.
    public init() {}

    private static func level(_ text: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: text) else {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("a level must be one of \(levels).")
        }
        return level
    }

    private static func format(_ text: String) throws -> LogFormat {
        guard let format = LogFormat(rawValue: text) else { throw ValidationError("a format must be text or json.") }
        return format
    }

    /// The logs of a server.
    package struct Logs: Sendable {
        let server: Logger
        /// The log of requests; `nil` when requests are not logged.
        let access: Logger?
        /// The last lines of the server's log, in memory; `nil` when none are kept.
        let recent: RecentLog?

        /// Logs without a log of requests. The server's log contains messages of the level `notice` and of higher
        /// levels. The log is written to standard error, or to the file that `open()` opened.
        package static let standard = Logs(from: .notice)

        fileprivate init(server: Logger, access: Logger?, recent: RecentLog?) {
            (self.server, self.access, self.recent) = (server, access, recent)
        }

        private init(from level: Logger.Level) {
            self.init(server: Logger(label: "godwit") { LineLog(label: $0, level: level) }, access: nil, recent: nil)
        }
    }

    /// Opens the logs. Each time the process receives SIGHUP, the files of the logs are opened again. After this call,
    /// SIGHUP no longer ends the process.
    ///
    /// - Throws: ``CommandFailure`` when a file cannot be opened; `ValidationError` when a level or a format in the
    ///   environment is not valid.
    func open() throws -> Logs {
        let settings = Settings()
        let level = try logLevel ?? settings.value("logLevel", LogOptions.level) ?? .notice
        let format = try logFormat ?? settings.value("logFormat", LogOptions.format) ?? .text
        let file = try (logFile ?? settings.string("logFile")).map { try LogFile(path: $0) }
        let recent = RecentLog()
        LogWriter.shared.configure(format, file: file, recent: recent)
        var writers = [LogWriter.shared]
        var access: Logger?
        if let path = accessLog ?? settings.string("accessLog") {
            let writer = LogWriter()
            writer.configure(format, file: path == "-" ? nil : try LogFile(path: path))
            writers.append(writer)
            access = Logger(label: "godwit.access") { LineLog(label: $0, writer: writer, level: .info) }
        }
        LogOptions.reopenOnHangup(writers)
        return Logs(
            server: Logger(label: "godwit") { LineLog(label: $0, level: level) }, access: access, recent: recent)
    }

    private static func reopenOnHangup(_ writers: [LogWriter]) {
        signal(SIGHUP, SIG_IGN)
        let hangup = DispatchSource.makeSignalSource(signal: SIGHUP)
        // The event handler retains the signal source `hangup`, so the source exists as long as the process runs.
        hangup.setEventHandler { withExtendedLifetime(hangup) { for writer in writers { writer.reopen() } } }
        hangup.activate()
    }
}
