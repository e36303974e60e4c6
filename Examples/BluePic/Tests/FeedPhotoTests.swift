//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import BluePicCore
import Foundation
import Testing

@Suite("The words of the feed")
struct FeedPhotoTests {
    @Test(
        "Ages are in the largest unit that fits",
        arguments: [
            (-5, "now"), (0, "now"), (1, "1s"), (59, "59s"), (60, "1m"), (3_599, "59m"), (3_600, "1h"), (86_399, "23h"),
            (86_400, "1d"), (604_799, "6d"), (604_800, "1w"), (31_536_000, "52w"),
        ])
    func ages(_ seconds: Double, _ text: String) {
        let time = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(time.age(at: time + seconds) == text)
    }

    @Test("The name of a picture is the local time")
    func names() throws {
        let time = Date(timeIntervalSince1970: 1_795_808_491)
        let zone = try #require(TimeZone(secondsFromGMT: -8 * 3_600))
        #expect(time.pictureName(timeZone: zone) == "11-27-2026_114131.JPG")
    }
}
