//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CWorker

/// Reads and writes messages over a socket. The length of each message precedes the message. The methods block the
/// calling thread.
///
/// After a method threw an error, the channel cannot be used any more: a message may be incomplete.
public struct WorkerChannel: Sendable {
    /// The reason why no message was read or written.
    public enum Failure: Error {
        /// The other process closed the socket, the other process sent a message that is too long, or the socket
        /// failed.
        case closed
        /// The deadline passed.
        case expired
    }

    /// A deadline that never passes.
    public static let never = Double.infinity

    /// The time now, on the clock of the deadlines, in seconds.
    public static var now: Double { godwit_worker_now() }

    let file: Int32
    private let bytesMax: Int

    /// Creates a channel over a socket.
    ///
    /// - Parameters:
    ///   - file: The file descriptor. It is not closed.
    ///   - bytesMax: The maximum length of a message that is read.
    public init(file: Int32, bytesMax: Int) { (self.file, self.bytesMax) = (file, bytesMax) }

    /// Reads a message.
    ///
    /// - Parameter deadline: The time, on the clock of ``now``, at which the call fails.
    public func read(until deadline: Double) throws(Failure) -> [UInt8] {
        let length = try bytes(MemoryLayout<UInt32>.size, until: deadline).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= bytesMax else { throw .closed }
        return try bytes(length, until: deadline)
    }

    /// Writes a message.
    ///
    /// - Parameter deadline: The time, on the clock of ``now``, at which the call fails.
    public func write(_ message: [UInt8], until deadline: Double) throws(Failure) {
        let length = withUnsafeBytes(of: UInt32(message.count).littleEndian) { Array($0) }
        try check(godwit_worker_write(file, length, length.count, deadline))
        try check(godwit_worker_write(file, message, message.count, deadline))
    }

    private func bytes(_ count: Int, until deadline: Double) throws(Failure) -> [UInt8] {
        var result = GODWIT_WORKER_DONE
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            result = godwit_worker_read(file, buffer.baseAddress, count, deadline)
            filled = result == GODWIT_WORKER_DONE ? count : 0
        }
        try check(result)
        return bytes
    }

    private func check(_ result: godwit_worker_result) throws(Failure) {
        switch result {
        case GODWIT_WORKER_DONE: break
        case GODWIT_WORKER_EXPIRED: throw .expired
        default: throw .closed
        }
    }
}
