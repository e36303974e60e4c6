//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFoundation
import GodwitJSON
import GodwitServer
package import Logging

/// A log handler that writes one line for each message. A line contains the time, the level, the message and the
/// metadata. A line in JSON also contains the name of the log.
package struct LineLog: LogHandler {
    let label: String
    let writer: LogWriter
    /// See `LogHandler`.
    package var logLevel = Logger.Level.notice
    /// See `LogHandler`.
    package var metadata: Logger.Metadata = [:]
    /// See `LogHandler`. The metadata of this provider is not written.
    package var metadataProvider: Logger.MetadataProvider?

    /// Creates a handler that writes messages of the level `notice` and of higher levels to the shared writer of the
    /// program.
    package init(label: String) { self.init(label: label, level: .notice) }

    init(label: String, writer: LogWriter = .shared, level: Logger.Level) {
        (self.label, self.writer, logLevel) = (label, writer, level)
    }

    /// See `LogHandler`.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// See `LogHandler`. If the writer also keeps a log in memory, the message is added to that log.
    package func log(event: LogEvent) {
        let entries = metadata.merging(event.metadata ?? [:]) { _, ofEvent in ofEvent }.sorted { $0.key < $1.key }
        let time = Date.now.formatted(.iso8601)
        let details = details(of: entries)
        writer.recent?.add(
            time: time, level: "\(event.level)", message: "\(event.message)",
            details: details)
        switch writer.format {
        case .text:
            let separator = entries.isEmpty ? "" : " "
            writer.add("\(time) \(event.level) godwit: \(event.message)\(separator)\(details)")
        case .json:
            var line: JSONObject = [
                "time": .string(time), "level": .string("\(event.level)"), "log": .string(label),
                "message": .string("\(event.message)"),
            ]
            for (name, value) in entries { line[name] = .string("\(value)") }
            writer.add(JSONValue.object(line).jsonText())
        }
    }

    /// Returns the metadata as text: `name=value`, separated by spaces.
    ///
    /// A value with a space, an equals sign or a quotation mark is written as a JSON string.
    /// Therefore, a name that a user chose cannot imitate further metadata.
    private func details(of entries: [(key: String, value: Logger.Metadata.Value)]) -> String {
        entries.map { name, value in
            let text = "\(value)"
            let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x3D && $0 != 0x22 }
            return "\(name)=\(isPlain ? text : JSONValue.string(text).jsonText())"
        }.joined(separator: " ")
    }
}
