//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitServer

@Suite("Times of recent requests")
struct RecentTimesTests {
    @Test("Percentiles are at most a quarter above the exact times")
    func percentiles() {
        var times = RecentTimes()
        for milliseconds in 1...1_000 { times.add(microseconds: UInt64(milliseconds) * 1_000, now: 60) }
        let within = times.milliseconds(within: [50, 90, 99], now: 60)
        for (part, exact) in zip(within, [500.0, 900, 990]) {
            #expect(exact...(exact * 1.25) ~= part)
        }
    }

    @Test("Times are forgotten after two minutes")
    func forgetting() {
        var times = RecentTimes()
        times.add(microseconds: 5_000, now: 60)
        #expect(times.milliseconds(within: [50], now: 119).count == 1)
        #expect(times.milliseconds(within: [50], now: 179).count == 1)
        #expect(times.milliseconds(within: [50], now: 180).isEmpty)
    }

    @Test("Extreme times are counted", arguments: [0, 1, 3, 4, 7, UInt64.max])
    func extremes(_ microseconds: UInt64) {
        var times = RecentTimes()
        times.add(microseconds: microseconds, now: 0)
        #expect(times.milliseconds(within: [50, 99], now: 0).allSatisfy { $0 > 0 })
    }
}
