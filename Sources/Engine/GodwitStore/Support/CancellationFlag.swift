//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

/// Informs the work of a task, on threads of the blocking pool, that the task was cancelled.
final class CancellationFlag: Sendable {
    private let flag = Mutex(false)

    fileprivate func cancel() { flag.withLock { $0 = true } }

    /// Whether the task was cancelled.
    var isSet: Bool { flag.withLock { $0 } }

    /// Throws `CancellationError` if the task was cancelled.
    func check() throws {
        if isSet { throw CancellationError() }
    }
}

/// Runs `body` with a flag that is set when the current task is cancelled.
func withCancellationFlag<Result: Sendable>(
    _ body: (CancellationFlag) async throws -> Result
) async throws -> Result {
    let flag = CancellationFlag()
    return try await withTaskCancellationHandler {
        try await body(flag)
    } onCancel: {
        flag.cancel()
    }
}

extension SQLiteConnection {
    /// Interrupts statements when the flag is set.
    func interrupt(by flag: CancellationFlag) { ask(every: StoreLimits.instructionsPerCheck) { !flag.isSet } }
}
