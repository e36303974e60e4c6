//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitThreads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Standard output or standard error: what is written is there at once, also when it is a pipe.
///
/// Whoever reads may go (`godwit bench | head -1`). A write that fails is remembered and what comes after it dropped; work
/// that is done step by step asks ``check()`` between the steps, and the command itself at its end.
public final class StandardStream: Sendable {
    /// Standard output.
    public static let output = StandardStream(STDOUT_FILENO)
    /// Standard error.
    public static let error = StandardStream(STDERR_FILENO)

    private let descriptor: Int32
    /// The error of the first write that failed.
    private let failure = Mutex<Int32?>(nil)

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Lets a write to a pipe that nobody reads fail instead of ending the process.
    package static func outliveReaders() { signal(SIGPIPE, SIG_IGN) }

    /// Writes a text as it is.
    public func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes bytes as they are.
    package func write(_ bytes: [UInt8]) {
        failure.withLock { failure in
            guard failure == nil else { return }
            var rest = bytes[...]
            while !rest.isEmpty, failure == nil {
                let count = rest.withUnsafeBytes { writeSome($0) }
                if count >= 0 { rest = rest.dropFirst(count) } else { failure = failureThatLasts() }
            }
        }
    }

    /// Writes some of the bytes: how many, or a negative number.
    private func writeSome(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
            Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #else
            Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    /// The error of the last call; `nil` when the call is to be made again.
    private func failureThatLasts() -> Int32? {
        let reason = errno
        guard reason == EAGAIN else { return reason == EINTR ? nil : reason }
        var waited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&waited, 1, -1)
        return nil
    }

    /// Refuses to go on when something could not be written.
    ///
    /// - Throws: ``CommandFailure``, with nothing to say when the reader is gone.
    package func check() throws(CommandFailure) {
        guard let reason = failure.withLock({ $0 }) else { return }
        guard reason != EPIPE else { throw CommandFailure(message: nil) }
        throw CommandFailure(message: "the output could not be written: \(String(cString: strerror(reason))).")
    }
}
