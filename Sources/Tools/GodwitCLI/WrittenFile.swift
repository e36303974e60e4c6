//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitHost

/// A file that is written sequentially. It is closed when it is released.
final class WrittenFile: Sendable {
    private let file: SystemFile
    private let path: String

    /// Opens an existing file. The file should be empty, because it is overwritten from its start but not truncated.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        do {
            file = try SystemFile(path, O_WRONLY)
        } catch {
            throw WrittenFile.failure(path, error)
        }
    }

    /// Writes bytes after those that were written before.
    func append(_ bytes: some Collection<UInt8>) throws(CommandFailure) {
        do {
            try file.write(Array(bytes))
        } catch {
            throw WrittenFile.failure(path, error)
        }
    }

    /// Returns when all written bytes are on disk.
    func flush() throws(CommandFailure) {
        do {
            try file.flush()
        } catch {
            throw WrittenFile.failure(path, error)
        }
    }

    private static func failure(_ path: String, _ error: SystemError) -> CommandFailure {
        CommandFailure(message: "writing \(path): \(error)")
    }
}
