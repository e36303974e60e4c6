//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Kills the process of a call when the task of the call is cancelled. A running function cannot be interrupted in
/// another way.
final class ScriptCancellation: Sendable {
    private struct State: Sendable {
        var isCancelled = false
        var worker: ScriptWorkerProcess?
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Sets the process in which the call runs, and kills it if the call is already cancelled.
    func begin(in worker: ScriptWorkerProcess) {
        let isCancelled = state.withLock { state in
            state.worker = worker
            return state.isCancelled
        }
        if isCancelled { worker.kill() }
    }

    /// Removes the process after the call has ended.
    func end() { state.withLock { $0.worker = nil } }

    /// Cancels the call.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            // The lock is held while the process is killed. Without the lock, the call could end in the meantime, and
            // the process could already run another call.
            state.worker?.kill()
        }
    }
}
