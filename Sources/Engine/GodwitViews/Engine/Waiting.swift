//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import GodwitBase
import GodwitStore

/// Runs an asynchronous closure, blocks this thread until it ends, and returns its result. Do not call this function on
/// a thread of the cooperative pool, because these threads must not block.
package func waiting<Result: Sendable>(for body: @escaping @Sendable () async -> Result) -> Result {
    let done = DispatchSemaphore(value: 0)
    let result = Mutex<Result?>(nil)
    Task {
        let value = await body()
        result.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    return result.withLock { $0! }
}
