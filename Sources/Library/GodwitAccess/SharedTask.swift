//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Waits until a task has a value or the waiting task is cancelled. The cancellation of the waiting task does not end
/// the awaited task.
///
/// - Returns: `nil` if the waiting task was cancelled.
func valueUnlessCancelled<Value: Sendable>(of task: Task<Value, Never>) async -> Value? {
    let (values, continuation) = AsyncStream.makeStream(of: Value.self)
    let relay = Task {
        continuation.yield(await task.value)
        continuation.finish()
    }
    defer { relay.cancel() }
    for await value in values { return value }
    return nil
}
