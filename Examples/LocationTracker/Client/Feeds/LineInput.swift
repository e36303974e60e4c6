//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOPosix
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The lines of a file, a device or standard input, as they come.
final class LineInput: Sendable {
    /// The longest line, in bytes; a longer one is cut in two, which no reader takes for one.
    private static let lineBytesMax = 4_096
    /// How long a device is listened to before it is looked whether anybody still wants to know, in milliseconds.
    private static let listenMilliseconds: Int32 = 200
    /// Inputs that are listened to at a time. Each keeps a thread.
    private static let inputsMax = 8

    /// Reading a device blocks: it must not hold up the threads of Swift's concurrency.
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
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/input``.
    init(_ path: String) throws(TrackerError) {
        self.path = path
        descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw LineInput.failure(path) }
    }

    deinit { close(descriptor) }

    /// The next line, without its end; `nil` when there are no more.
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
            let end = state.bytes.firstIndex(of: UInt8(ascii: "\n"))
            guard end != nil || state.bytes.count >= LineInput.lineBytesMax else { return nil }
            var line = Array(state.bytes[..<(end ?? LineInput.lineBytesMax)])
            state.bytes.removeFirst(end.map { $0 + 1 } ?? LineInput.lineBytesMax)
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            return line
        }
    }

    /// What stands behind the last end of a line.
    private func takeRest() -> [UInt8]? {
        state.withLock { state in
            defer { state.bytes = [] }
            return state.bytes.isEmpty ? nil : state.bytes
        }
    }

    /// Waits a moment for bytes, and takes what is there.
    private func fill() throws {
        var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waited, 1, LineInput.listenMilliseconds) > 0 else { return }
        var piece = [UInt8](repeating: 0, count: LineInput.lineBytesMax)
        let count = systemRead(descriptor, &piece, piece.count)
        guard count >= 0 else {
            guard errno == EAGAIN || errno == EINTR else { throw LineInput.failure(path) }
            return
        }
        state.withLock { state in
            state.bytes += piece.prefix(count)
            state.isAtEnd = count == 0
        }
    }

    private static func failure(_ path: String) -> TrackerError {
        TrackerError(.input, "\(path) cannot be read: \(String(cString: strerror(errno))).")
    }
}

// The member of the same name hides the system's.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
