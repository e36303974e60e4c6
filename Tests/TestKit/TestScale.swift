//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
package import Testing

/// The extent of tests: a part in daily runs, everything with `./test --long`.
package enum TestScale {
    /// Whether this is a long run: `GODWIT_LONG` is set.
    package static let isLong = ProcessInfo.processInfo.environment["GODWIT_LONG"] != nil

    /// Returns the first seeds in a daily run, all of them in a long run.
    package static func seeds(_ daily: UInt64, of all: UInt64) -> Range<UInt64> { 0..<(isLong ? all : daily) }

    /// Returns numbers below `count`: every `step`th one in a daily run, all of them in a long run.
    package static func numbers(below count: Int, every step: Int) -> StrideTo<Int> {
        stride(from: 0, to: count, by: isLong ? 1 : step)
    }
}

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs. It is not a measurement: a busy machine does not reach it, and the suites of `./test`
    /// have separate time limits.
    package static var endsWhenHung: Self { .timeLimit(.minutes(10)) }
}

/// Waits until a condition is true, however busy the machine is. Records an issue if it is false after five minutes.
package func eventually(
    _ isSo: () async throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let end = ContinuousClock.now + .seconds(300)
    while try await !isSo() {
        guard ContinuousClock.now < end else {
            Issue.record("It did not come about.", sourceLocation: sourceLocation)
            return
        }
        try await Task.sleep(for: .milliseconds(5))
    }
}
