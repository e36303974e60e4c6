//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// Runs a closure on a thread with a stack of 512 KB, the smallest that a caller may have; an overflow ends the
/// process.
func onSmallStack(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        let thread = Thread {
            body()
            continuation.resume()
        }
        thread.stackSize = 512 * 1024
        thread.start()
    }
}
