//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore

/// Divides the memory for unsent responses among the responses that wait for their clients.
///
/// Data for a slow client stays in memory until the client reads it. When the server waits for few clients, the pieces
/// are large, which is fast. When the server waits for many clients, each piece is small.
final class ResponseBudget: Sendable {
    private let waitingCount = Mutex(0)

    /// The current size of a piece of a response, in bytes. The size is a power of two, because the capacity of a
    /// buffer is also a power of two.
    var pieceBytes: Int {
        let share = ServerLimits.answerBytesMax / max(1, waitingCount.withLock { $0 })
        var bytes = ServerLimits.pieceBytesMax
        while bytes > max(share, ServerLimits.pieceBytesMin) { bytes /= 2 }
        return bytes
    }

    /// Records that a response waits for its client to read a piece.
    func enter() { waitingCount.withLock { $0 += 1 } }

    /// Records that the response no longer waits, because the piece was sent or could not be sent.
    func leave() {
        waitingCount.withLock { count in
            count -= 1
            invariant(count >= 0, "a response that stops waiting was waiting")
        }
    }
}
