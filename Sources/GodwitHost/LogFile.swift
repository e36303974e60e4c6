//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file to which lines of a log are appended. Its owner alone may read it when it is made here.
final class LogFile: Sendable {
    private let path: String
    private let descriptor: Mutex<Int32>

    /// Opens the file, or makes it.
    init(path: String) throws(CommandFailure) {
        self.path = path
        descriptor = Mutex(try LogFile.open(path))
    }

    deinit { _ = close(descriptor.withLock { $0 }) }

    private static func open(_ path: String) throws(CommandFailure) -> Int32 {
        let descriptor = openForAppending(path)
        guard descriptor >= 0 else {
            throw CommandFailure(message: "the log \(path) cannot be opened: \(String(cString: strerror(errno))).")
        }
        return descriptor
    }

    /// Opens the file that has the name now.
    func reopen() throws(CommandFailure) {
        let other = try LogFile.open(path)
        let before = descriptor.withLock { descriptor in
            defer { descriptor = other }
            return descriptor
        }
        _ = close(before)
    }

    /// Appends a text. What cannot be written is lost: a log stops nobody.
    func write(_ text: String) {
        descriptor.withLock { descriptor in
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { writeSome(descriptor, $0) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}

private func openForAppending(_ path: String) -> Int32 { open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600) }

private func writeSome(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
