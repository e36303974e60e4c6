//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A file to which lines of a log are appended. If the file does not exist, it is created, and only its owner can read
/// it.
final class LogFile: Sendable {
    private let path: String
    private let file: Mutex<SystemFile>

    /// Opens the file, or creates it.
    init(path: String) throws(CommandFailure) {
        self.path = path
        file = Mutex(try LogFile.open(path))
    }

    private static func open(_ path: String) throws(CommandFailure) -> SystemFile {
        do {
            return try SystemFile(path, O_WRONLY | O_APPEND | O_CREAT)
        } catch {
            throw CommandFailure(message: "the log \(path) cannot be opened: \(error).")
        }
    }

    /// Opens the file again by its name. If no file has this name any more, creates a new file.
    func reopen() throws(CommandFailure) {
        let newFile = try LogFile.open(path)
        file.withLock { $0 = newFile }
    }

    /// Appends a text. Write errors are ignored, because a log must not stop the server.
    func write(_ text: String) {
        file.withLock { try? $0.write(Array(text.utf8)) }
    }
}
