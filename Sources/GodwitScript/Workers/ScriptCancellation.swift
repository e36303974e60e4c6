//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

/// Ends the process of a call whose task was cancelled: a function cannot be asked to stop.
final class ScriptCancellation: Sendable {
    private struct State: Sendable {
        var isCancelled = false
        var worker: ScriptWorkerProcess?
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Notes where the call runs.
    func begin(in worker: ScriptWorkerProcess) {
        let isCancelled = state.withLock { state in
            state.worker = worker
            return state.isCancelled
        }
        if isCancelled { worker.kill() }
    }

    /// Notes that the process does nothing for the call any more.
    func end() { state.withLock { $0.worker = nil } }

    /// Ends the call.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            // Under the lock, so that the process does not work for another call by then.
            state.worker?.kill()
        }
    }
}
