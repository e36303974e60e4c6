//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Allows a limited number of tasks to work at the same time. The others wait, and their owners take turns.
public final class WorkerTurns: Sendable {
    private struct Waiting {
        let id: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var queue: TurnQueue<Waiting>
        var runningCount = 0
        var nextID = 0
    }

    private let state: Mutex<State>
    private let runningMax: Int

    /// Creates an object without tasks.
    ///
    /// - Parameters:
    ///   - runningMax: The maximum number of tasks that work at the same time.
    ///   - waitingMax: The maximum number of tasks that wait.
    ///   - waitingPerOwnerMax: The maximum number of tasks of one owner that wait.
    public init(runningMax: Int, waitingMax: Int, waitingPerOwnerMax: Int) {
        self.runningMax = runningMax
        state = Mutex(State(queue: TurnQueue(waitingMax: waitingMax, waitingPerOwnerMax: waitingPerOwnerMax)))
    }

    /// Waits for a turn. A task that has a turn must end it with ``end()``, even if the task is cancelled.
    ///
    /// - Returns: Whether the task has a turn. `false` if too many tasks wait, and if the task was cancelled before its
    ///   turn.
    public func wait(for owner: String) async -> Bool {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    // If the task is already cancelled, the handler of the cancellation has run before this point and
                    // found nothing to remove. Therefore, the task must not begin to wait.
                    if Task.isCancelled { return false }
                    if state.runningCount < runningMax {
                        state.runningCount += 1
                        return true
                    }
                    let waiting = Waiting(id: id, continuation: continuation)
                    return state.queue.append(waiting, for: owner) ? nil : false
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = state.withLock { $0.queue.remove(of: owner) { $0.id == id } }
            waiting?.continuation.resume(returning: false)
        }
    }

    /// Ends a turn, and begins the turn of the next task. Call it once for each turn.
    public func end() {
        let next = state.withLock { state in
            let next = state.queue.next()
            if next == nil { state.runningCount -= 1 }
            return next
        }
        next?.continuation.resume(returning: true)
    }
}
