//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import DeviceKit

@Suite("The times that sources write")
struct TimestampTests {
    @Test(
        "Seconds with and without a fraction, in UTC and with an offset",
        arguments: [
            ("2026-01-01T00:00:00Z", 1_767_225_600_000), ("2026-01-01T02:00:00+02:00", 1_767_225_600_000),
            ("2025-12-31T22:30:00-01:30", 1_767_225_600_000), ("2026-01-01T00:00:00.5Z", 1_767_225_600_500),
            ("2026-01-01T00:00:00.123Z", 1_767_225_600_123), ("2026-01-01T02:00:00.250000+02:00", 1_767_225_600_250),
            ("1980-01-06T00:00:00Z", 315_964_800_000),
        ])
    func times(_ text: String, _ milliseconds: Int64) {
        #expect(Timestamp.milliseconds(text) == milliseconds)
    }

    @Test(
        "Texts that are not times",
        arguments: [
            "", "noon", "2026-01-01", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z", "2026-01-01T25:00:00Z",
            "2026-02-30T00:00:00Z", "2026-01-01T00:00:00Zx", "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00.5",
            "2026-01-01T00:00:00*01:00",
        ])
    func noTimes(_ text: String) {
        #expect(Timestamp.milliseconds(text) == nil)
    }
}
