//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitExchange
import GodwitHost

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file, or standard input, that is read from its beginning to its end.
final class ReadFile: Sendable {
    private static let pieceBytes = 256 << 10

    private let descriptor: Int32
    private let path: String

    /// - Parameter path: The file's path; `-` is standard input.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandFailure(message: "\(path): \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    /// How long the file is, in bytes; 0 for what is no file.
    var byteCount: Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
        return Int(status.st_size)
    }

    /// The next bytes; none at the end.
    func read() throws(ExchangeError) -> [UInt8] {
        while true {
            var failure: Int32 = 0
            let piece = [UInt8](unsafeUninitializedCapacity: ReadFile.pieceBytes) { buffer, count in
                let result = readSome(into: buffer)
                if result < 0 { failure = errno }
                count = max(result, 0)
            }
            guard failure != 0 else { return piece }
            guard failure == EINTR else { throw ExchangeError("\(path): \(String(cString: strerror(failure)))") }
        }
    }

    private func readSome(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        #if canImport(Darwin)
            Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
            Musl.read(descriptor, buffer.baseAddress, buffer.count)
        #else
            Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }
}
