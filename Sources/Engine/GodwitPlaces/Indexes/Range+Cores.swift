//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch

extension Range<Int> {
    /// Maps the integers of the range in order, on several cores if the range contains enough integers for at least two
    /// cores.
    ///
    /// - Parameter share: The number of integers that one core processes at a time.
    func mapOnCores<Result>(share: Int, _ body: @Sendable (Int) -> Result) -> [Result] {
        guard count >= 2 * share else { return map(body) }
        return [Result](unsafeUninitializedCapacity: count) { results, initializedCount in
            // Each call writes separate elements.
            // Bounded: the buffer is not empty.
            nonisolated(unsafe) let start = results.baseAddress!
            DispatchQueue.concurrentPerform(iterations: (count + share - 1) / share) { part in
                for index in part * share..<Swift.min((part + 1) * share, count) {
                    (start + index).initialize(to: body(lowerBound + index))
                }
            }
            initializedCount = count
        }
    }
}
