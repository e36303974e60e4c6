//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
package import Testing

/// How much tests try: some every day, all with `./test --long`.
package enum TestScale {
    /// Whether all is tried: `GODWIT_LONG` is set.
    package static let isLong = ProcessInfo.processInfo.environment["GODWIT_LONG"] != nil

    /// The first of some seeds every day, all of them in a long run.
    package static func seeds(_ daily: UInt64, of all: UInt64) -> Range<UInt64> { 0..<(isLong ? all : daily) }

    /// Numbers below `count`: every `step`th every day, all of them in a long run.
    package static func numbers(below count: Int, every step: Int) -> StrideTo<Int> {
        stride(from: 0, to: count, by: isLong ? 1 : step)
    }
}

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs. It is no measurement: a machine with too much to do does not come near it, and the suites of
    /// `./test` have budgets of their own.
    package static var endsWhenHung: Self { .timeLimit(.minutes(10)) }
}

/// Waits until something is so, however busy the machine is; records an issue when it is not after five minutes.
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
