//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The pauses of a loop. Another task can end a pause.
public actor LoopPause {
    private var pause: Task<Void, Never>?
    private var isAwake = false

    /// Creates the pauses of one loop.
    public init() {}

    /// Waits until the time has passed, until ``wake()`` is called, or until the task is cancelled. Does not wait if
    /// `wake()` was called since the last pause.
    public func wait(seconds: Double) async {
        guard !isAwake else { return isAwake = false }
        let pause = Task { _ = try? await Task.sleep(for: .seconds(seconds)) }
        self.pause = pause
        await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
        isAwake = false
    }

    /// Ends the current pause. If no pause is in progress, the next pause ends at once.
    public func wake() {
        isAwake = true
        pause?.cancel()
    }
}
