//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOPosix
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Android)
    import Android
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads the lines of a file, a device or standard input. Each line is returned as soon as it has arrived.
final class LineInput: Sendable {
    /// The maximum length of a line in bytes. A longer line is split into parts. Readers skip these parts, because they
    /// are not valid lines.
    private static let lineBytesMax = 4_096
    /// The time to wait for bytes of a device between two checks for cancellation, in milliseconds.
    private static let listenMilliseconds: Int32 = 200
    /// The number of threads that read inputs. If there are more inputs, they share the threads.
    private static let inputsMax = 8

    /// The threads that read inputs. Reading a device blocks its thread. Threads of Swift's concurrency must not be
    /// blocked.
    private static let pool = {
        let pool = NIOThreadPool(numberOfThreads: inputsMax)
        pool.start()
        return pool
    }()

    private struct State {
        var bytes: [UInt8] = []
        var isAtEnd = false
    }

    private let descriptor: Int32
    private let path: String
    private let state = Mutex(State())

    /// Opens an input.
    ///
    /// - Parameter path: The file's path; `-` is standard input.
    /// - Throws: ``DeviceError`` with code ``DeviceError/Code/input``.
    init(_ path: String) throws(DeviceError) {
        self.path = path
        descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw LineInput.failure(path) }
    }

    deinit { close(descriptor) }

    /// Returns the next line, without its line break; `nil` at the end.
    ///
    /// - Throws: ``DeviceError`` with code ``DeviceError/Code/input`` if the input cannot be read, or
    ///   `CancellationError`.
    func next() async throws -> [UInt8]? {
        while true {
            if let line = takeLine() { return line }
            guard !state.withLock({ $0.isAtEnd }) else { return takeRest() }
            try Task.checkCancellation()
            try await LineInput.pool.runIfActive { try self.fill() }
        }
    }

    private func takeLine() -> [UInt8]? {
        state.withLock { state in
            let lineEnd = state.bytes.firstIndex(of: UInt8(ascii: "\n"))
            guard lineEnd != nil || state.bytes.count >= LineInput.lineBytesMax else { return nil }
            var line = Array(state.bytes[..<(lineEnd ?? LineInput.lineBytesMax)])
            state.bytes.removeFirst(lineEnd.map { $0 + 1 } ?? LineInput.lineBytesMax)
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            return line
        }
    }

    /// Returns the bytes after the last line break; `nil` when there are no more bytes.
    private func takeRest() -> [UInt8]? {
        state.withLock { state in
            defer { state.bytes = [] }
            return state.bytes.isEmpty ? nil : state.bytes
        }
    }

    /// Waits a short time for bytes, and reads the bytes that have arrived.
    private func fill() throws {
        var pollEntry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&pollEntry, 1, LineInput.listenMilliseconds) > 0 else { return }
        var buffer = [UInt8](repeating: 0, count: LineInput.lineBytesMax)
        let count = systemRead(descriptor, &buffer, buffer.count)
        guard count >= 0 else {
            guard errno == EAGAIN || errno == EINTR else { throw LineInput.failure(path) }
            return
        }
        state.withLock { state in
            state.bytes += buffer.prefix(count)
            state.isAtEnd = count == 0
        }
    }

    private static func failure(_ path: String) -> DeviceError {
        DeviceError(.input, "\(path) cannot be read: \(String(cString: strerror(errno))).")
    }
}

// Calls the system's function `read`, which a method with the same name hides.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
