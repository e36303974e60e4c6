//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import LocationTrackerClient
import Testing

@testable import LocationTracker

@Suite("The journeys that come with the example")
struct JourneyTests {
    @Test(
        "The example's tracks, and the locations that the filter selects",
        arguments: [
            ("drive-past-the-places", 406, 99, true), ("around-visnjan-with-car", 104, 17, false),
        ])
    func journeys(_ name: String, _ fixes: Int, _ locations: Int, _ isMadeUp: Bool) throws {
        let journey = try #require(Journey.all.first { $0.name == name })
        #expect(try journey.track().fixes.count == fixes)
        #expect(try journey.locations().count == locations)
        #expect(journey.isMadeUp == isMadeUp)
    }
}
