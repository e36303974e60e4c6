//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitExchange
import GodwitHost

/// A file or standard input, read sequentially.
final class ReadFile: Sendable {
    private static let pieceBytes = 256 << 10

    private let file: SystemFile
    private let path: String

    /// Opens a file.
    ///
    /// - Parameter path: The file's path, or `-` for standard input.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        do {
            file = try path == "-" ? SystemFile(copying: STDIN_FILENO) : SystemFile(path, O_RDONLY)
        } catch {
            throw CommandFailure(message: "\(path): \(error)")
        }
    }

    /// The length of the file in bytes; 0 when it is not a regular file.
    var byteCount: Int {
        guard let status = try? file.status(), status.st_mode & S_IFMT == S_IFREG else { return 0 }
        return Int(status.st_size)
    }

    /// Returns the next bytes; an empty array at the end.
    func read() throws(ExchangeError) -> [UInt8] {
        do {
            return try file.read(ReadFile.pieceBytes)
        } catch {
            throw ExchangeError("\(path): \(error)")
        }
    }
}
