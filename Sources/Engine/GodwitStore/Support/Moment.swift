//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch

/// A time of the monotonic clock, in nanoseconds.
package struct Moment: Comparable, Sendable {
    let nanoseconds: UInt64

    /// A time before every other time: the beginning of the monotonic clock.
    package static let distantPast = Moment(nanoseconds: 0)

    /// The current time.
    package static var now: Moment { Moment(nanoseconds: DispatchTime.now().uptimeNanoseconds) }

    package static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The time since this moment, in seconds.
    package var secondsAgo: Double { Double(Moment.now.nanoseconds - nanoseconds) / 1e9 }
}
