//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CWorker

/// Reads and writes messages over a socket. Each call blocks its thread.
struct ScriptChannel: Sendable {
    /// The reason why no message was read or written.
    enum Failure: Error {
        /// The other side closed the socket, or sent an invalid message.
        case closed
        /// The deadline passed.
        case expired
        /// A message exceeds the limit.
        case tooLarge
    }

    /// A deadline that is never reached. Calls with this deadline wait without a time limit.
    static let never = Double.infinity

    let file: Int32
    let messageBytesMax: Int

    /// Reads the next message before a deadline on the clock of `godwit_worker_now`.
    func read(until deadline: Double) throws(Failure) -> ScriptMessage {
        let length = ScriptMessage.length(try bytes(4, until: deadline)[...])
        guard length <= messageBytesMax else { throw .tooLarge }
        guard let message = ScriptMessage(decoding: try bytes(length, until: deadline)) else { throw .closed }
        return message
    }

    /// Writes a message before a deadline on the clock of `godwit_worker_now`.
    func write(_ message: ScriptMessage, until deadline: Double) throws(Failure) {
        let bytes = message.encoded
        guard bytes.count <= messageBytesMax else { throw .tooLarge }
        try check(godwit_worker_write(file, bytes, bytes.count, deadline))
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
