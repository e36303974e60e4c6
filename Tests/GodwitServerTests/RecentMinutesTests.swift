//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import HTTPTypes
import Testing

@testable import GodwitServer

@Suite("The last minutes")
struct RecentMinutesTests {
    @Test("Minutes without requests have no times")
    func idleMinutes() {
        var minutes = RecentMinutes()
        minutes.advance(to: 600) { .init(requests: 99) }
        #expect(minutes.minutes.isEmpty)
        minutes.advance(to: 659) { .init(requests: 99) }
        #expect(minutes.minutes.isEmpty)
        minutes.advance(to: 60 * 14) { .init(requests: 5, median: 1.5) }
        #expect(minutes.minutes.map(\.requests) == [5, 0, 0, 0])
        #expect(minutes.minutes.map(\.median) == [1.5, nil, nil, nil])
        #expect(minutes.minutes.allSatisfy { $0.memoryBytes > 0 })
        #expect(minutes.value.objectValue?["newest"]?.intValue == 60 * 13)
    }

    @Test("One day is kept")
    func oneDay() {
        var minutes = RecentMinutes()
        minutes.advance(to: 60) { .init() }
        minutes.advance(to: 120) { .init(requests: 1) }
        minutes.advance(to: 60 * 100_000) { .init(requests: 2) }
        #expect(minutes.minutes.count == 1_440)
        #expect(minutes.minutes.allSatisfy { $0.requests == 0 })
    }

    @Test("The statistics have the history")
    func statistics() {
        let statistics = Statistics()
        statistics.count(.get, status: 200, time: .milliseconds(3))
        #expect(statistics.history.objectValue?["seconds"]?.intValue == 60)
    }
}
