//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore

/// Writes to standard output or standard error. The bytes are not buffered, even if the stream is a pipe.
///
/// The reader of a pipe may exit (`godwit bench | head -1`). When a write fails, the stream stores the error and drops
/// all later writes. A command that works in several steps calls ``check()`` between the steps. Each command calls
/// ``check()`` at its end.
public final class StandardStream: Sendable {
    /// Standard output.
    public static let output = StandardStream(STDOUT_FILENO)
    /// Standard error.
    public static let error = StandardStream(STDERR_FILENO)

    private let descriptor: Int32
    /// The error code of the first write that failed.
    private let failure = Mutex<Int32?>(nil)

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Ignores SIGPIPE, so that a write to a pipe without a reader fails instead of ending the process.
    package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Writes a text unchanged.
    public func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes bytes unchanged.
    package func write(_ bytes: [UInt8]) {
        failure.withLock { failure in
            guard failure == nil else { return }
            var remaining = bytes[...]
            while !remaining.isEmpty, failure == nil {
                let count = remaining.withUnsafeBytes { writeSome(descriptor, $0) }
                if count >= 0 { remaining = remaining.dropFirst(count) } else { failure = lastingFailure() }
            }
        }
    }

    /// Returns the error code of the last system call; `nil` when the caller must repeat the call. If the stream cannot
    /// accept bytes now, waits until it can.
    private func lastingFailure() -> Int32? {
        let errorCode = errno
        guard errorCode == EAGAIN else { return errorCode == EINTR ? nil : errorCode }
        var pollEntry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&pollEntry, 1, -1)
        return nil
    }

    /// Throws an error if a write has failed.
    ///
    /// - Throws: ``CommandFailure``. It has no message if the reader closed the pipe, because this failure is not
    ///   reported.
    package func check() throws(CommandFailure) {
        guard let errorCode = failure.withLock({ $0 }) else { return }
        guard errorCode != EPIPE else { throw CommandFailure(message: nil) }
        throw CommandFailure(message: "the output could not be written: \(String(cString: strerror(errorCode))).")
    }
}

/// Writes some of the bytes. Returns the number of bytes that were written, or a negative number on failure.
///
/// This function is outside of the class: within it, the methods hide the global function `write`.
private func writeSome(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
