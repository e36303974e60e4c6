//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitHost

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that is written from its beginning to its end, closed when nobody holds it any more.
final class WrittenFile: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Opens a file that is there.
    init(_ path: String) throws(CommandFailure) {
        descriptor = open(path, O_WRONLY | O_CLOEXEC)
        self.path = path
        guard descriptor >= 0 else { throw failure() }
    }

    deinit { close(descriptor) }

    /// Appends bytes to what is written.
    func append(_ bytes: some Collection<UInt8>) throws(CommandFailure) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { throw failure() }
            rest = rest.dropFirst(max(count, 0))
        }
    }

    /// Returns when what is written is on disk.
    func flush() throws(CommandFailure) {
        guard fsync(descriptor) == 0 else { throw failure() }
    }

    private func failure() -> CommandFailure {
        CommandFailure(message: "writing \(path): \(String(cString: strerror(errno)))")
    }
}
