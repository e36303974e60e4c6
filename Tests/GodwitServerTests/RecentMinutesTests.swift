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

    /// The minutes 10 to 12, the last of which ended at 780 s.
    private func threeMinutes() -> RecentMinutes {
        var minutes = RecentMinutes()
        minutes.advance(to: 600) { .init() }
        minutes.advance(to: 660) { .init(requests: 5, failures: 1, median: 1.5, slow: 20) }
        minutes.advance(to: 780) { .init(requests: 7) }
        return minutes
    }

    @Test("A history is continued after a restart, with the minutes in between")
    func restored() {
        let stored = threeMinutes().value
        var minutes = RecentMinutes()
        minutes.restore(stored, at: 60 * 15 + 30)
        #expect(minutes.minutes.map(\.requests) == [5, 7, 0, 0, 0])
        #expect(minutes.minutes.map(\.failures) == [1, 0, 0, 0, 0])
        #expect(minutes.minutes.map(\.median) == [1.5, nil, nil, nil, nil])
        #expect(minutes.minutes.map(\.slow) == [20, nil, nil, nil, nil])
        #expect(minutes.minutes.map { $0.memoryBytes > 0 } == [true, true, true, false, false])
        minutes.advance(to: 60 * 16) { .init(requests: 9) }
        #expect(minutes.minutes.map(\.requests) == [5, 7, 0, 0, 0, 9])
        #expect(minutes.value["newest"]?.intValue == 60 * 15)
    }

    @Test("A history that is older than a day, damaged or of the future is not continued")
    func notRestored() throws {
        let stored = try #require(threeMinutes().value.objectValue)
        var old = RecentMinutes()
        old.restore(.object(stored), at: 60 * 100_000)
        #expect(old.minutes.count == 1_440 && old.minutes.allSatisfy { $0.requests == 0 })
        var shorter = stored
        shorter["p50"] = [1]
        var other = stored
        other["seconds"] = 30
        for (value, now) in [
            (JSONValue.object(stored), 600), (.object(shorter), 900), (.object(other), 900), ([:], 900), (.null, 900),
        ] {
            var minutes = RecentMinutes()
            minutes.restore(value, at: now)
            #expect(minutes.minutes.isEmpty)
        }
    }

    @Test("The statistics have the history")
    func statistics() {
        let statistics = Statistics()
        statistics.count(.get, status: 200, time: .milliseconds(3))
        #expect(statistics.history.objectValue?["seconds"]?.intValue == 60)
    }
}
