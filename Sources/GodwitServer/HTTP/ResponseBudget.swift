//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitThreads

/// Divides the memory of answers on their way among those that wait for their clients.
///
/// What is made for a client that does not read stays here until it does. A few clients get large pieces, which are
/// quick; each of many gets a small one.
final class ResponseBudget: Sendable {
    private let waiting = Mutex(0)

    /// Bytes of an answer that are made and sent at a time, for now: a power of two, as buffers are.
    var pieceBytes: Int {
        let each = ServerLimits.answerBytesMax / max(1, waiting.withLock { $0 })
        var bytes = ServerLimits.pieceBytesMax
        while bytes > max(each, ServerLimits.pieceBytesMin) { bytes /= 2 }
        return bytes
    }

    /// An answer begins to wait until a piece is taken.
    func enter() { waiting.withLock { $0 += 1 } }

    /// Its piece is taken, or the client gone.
    func leave() { waiting.withLock { $0 -= 1 } }
}
