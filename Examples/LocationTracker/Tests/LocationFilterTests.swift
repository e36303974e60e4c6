//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import LocationTrackerClient
import Testing

@Suite("Which readings become locations")
struct LocationFilterTests {
    private func fix(_ seconds: Int64, metersNorth: Double = 0, accuracy: Double = 5) -> Fix {
        Fix(
            latitude: metersNorth / 111_195, longitude: 0, timeMilliseconds: seconds * 1_000, accuracyMeters: accuracy)
    }

    @Test("Accuracy, distance and time, each at its limit")
    func foreground() {
        var filter = LocationFilter()
        let accepted = [
            fix(0, accuracy: 25.1), fix(0, accuracy: -1), fix(0, accuracy: 25), fix(60, metersNorth: 14.9),
            fix(15, metersNorth: 100), fix(16, metersNorth: 15.1),
        ].map { filter.takes($0) }
        #expect(accepted == [false, false, true, false, false, true])
    }

    @Test("In the background, locations are farther apart")
    func background() {
        var filter = LocationFilter(.background)
        let accepted = [fix(0, accuracy: 100), fix(60, metersNorth: 99.9), fix(60, metersNorth: 100.1)]
            .map { filter.takes($0) }
        #expect(accepted == [true, false, true])
    }
}
