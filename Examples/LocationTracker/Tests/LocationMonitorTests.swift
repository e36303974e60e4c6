//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import Foundation
import GodwitJSON
import LocationTrackerClient
import Synchronization
import Testing

@Suite("From readings to locations")
struct LocationMonitorTests {
    /// A separate implementation of the filter, with the law of cosines in place of the haversine formula.
    private func acceptedFixes(_ fixes: [Fix], accuracy: Double, distance: Double) -> [Fix] {
        var accepted: [Fix] = []
        for fix in fixes where fix.accuracyMeters >= 0 && fix.accuracyMeters <= accuracy {
            if let last = accepted.last {
                let (lastLatitude, latitude) = (last.latitude * .pi / 180, fix.latitude * .pi / 180)
                let cosine =
                    sin(lastLatitude) * sin(latitude) + cos(lastLatitude) * cos(latitude)
                    * cos((fix.longitude - last.longitude) * .pi / 180)
                let isFar = 6_371_008.8 * acos(min(1, cosine)) >= distance
                guard isFar, fix.timeMilliseconds - last.timeMilliseconds > 15_000 else { continue }
            }
            accepted.append(fix)
        }
        return accepted
    }

    @Test("The locations of each journey are those of a simple computation", arguments: Tracks.files)
    func journeys(_ file: String) async throws {
        let track = try Tracks.track(file)
        for (isInBackground, accuracy, distance) in [(false, 25.0, 15.0), (true, 100, 100)] {
            let monitor = LocationMonitor(isInBackground: isInBackground)
            var accepted: [Fix] = []
            try await monitor.run(GPXPlayback(track, speed: .infinity)) { _, location in
                if let location { accepted.append(location.fix) }
            }
            #expect(accepted == acceptedFixes(track.fixes, accuracy: accuracy, distance: distance))
            #expect(monitor.counts.fixes == track.fixes.count && monitor.counts.locations == accepted.count)
        }
    }

    @Test(
        "Two journeys have the locations that the data's description names",
        arguments: zip(Tracks.files, [(406, 99), (104, 17)]))
    func counts(_ file: String, _ counts: (fixes: Int, locations: Int)) async throws {
        let monitor = LocationMonitor()
        try await monitor.run(GPXPlayback(try Tracks.track(file), speed: .infinity)) { _, _ in }
        #expect(monitor.counts.fixes == counts.fixes && monitor.counts.locations == counts.locations)
    }

    @Test("Changes to the background and back during a journey keep the last location")
    func switching() {
        let monitor = LocationMonitor()
        #expect(monitor.take(.at(0))?.isInBackground == false)
        monitor.isInBackground = true
        #expect(monitor.take(.at(20, metersNorth: 50)) == nil)
        #expect(monitor.take(.at(40, metersNorth: 110, accuracy: 90))?.isInBackground == true)
        monitor.isInBackground = false
        #expect(monitor.take(.at(60, metersNorth: 140, accuracy: 90)) == nil)
        #expect(monitor.take(.at(60, metersNorth: 140))?.isInBackground == false)
    }

    @Test("After a restart the first reading is taken, at any distance from the last location")
    func start() {
        let monitor = LocationMonitor(isInBackground: true)
        #expect(monitor.take(.at(0)) != nil)
        #expect(monitor.take(.at(1)) == nil)
        monitor.start()
        #expect(monitor.take(.at(2))?.isInBackground == true)
        #expect(monitor.counts.fixes == 1 && monitor.counts.locations == 1)
    }

    private final class RecordingSource: LocationSource {
        let notifications = Mutex<[Bool]>([])

        func fixes() -> AsyncThrowingStream<Fix, any Error> {
            AsyncThrowingStream { stream in
                stream.yield(.at(0))
                stream.finish()
            }
        }

        func isInBackground(_ isInBackground: Bool) { notifications.withLock { $0.append(isInBackground) } }
    }

    @Test("The source is notified of the background while it runs")
    func telling() async throws {
        let (monitor, source) = (LocationMonitor(), RecordingSource())
        try await monitor.run(source) { _, _ in monitor.isInBackground = true }
        monitor.isInBackground = false
        #expect(source.notifications.withLock { $0 } == [false, true])
    }

    @Test("The document of a location")
    func document() {
        let fix = Fix(latitude: 1.5, longitude: -2.5, timeMilliseconds: 1_767_225_600_123, accuracyMeters: 5)
        let expected: JSONObject = [
            "type": "Feature", "created_at": 1_767_225_600_123,
            "geometry": ["type": "Point", "coordinates": [-2.5, 1.5]],
            "properties": [
                "username": "ana", "session_id": "s", "timestamp": 1_767_225_600_123, "background": true,
            ],
        ]
        #expect(Location(fix, isInBackground: true).document(username: "ana", session: "s") == expected)
    }
}

@Suite("Playing a track")
struct GPXPlaybackTests {
    private func track(seconds: Int) throws -> GPXTrack {
        let points = ["00", String(seconds)].map {
            "<trkpt lat='1' lon='2'><time>2026-01-01T00:00:\($0)Z</time></trkpt>"
        }
        return try GPXTrack(parsing: Array("<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>".utf8))
    }

    @Test("No reading is sent before its time, divided by the speed")
    func speed() async throws {
        let track = try track(seconds: 20)
        let start = ContinuousClock.now
        var fixes: [Fix] = []
        for try await fix in GPXPlayback(track, speed: 100).fixes() { fixes.append(fix) }
        #expect(fixes == track.fixes)
        #expect(ContinuousClock.now - start >= .milliseconds(200))
    }

    @Test("A playback at the lowest speed waits for its second reading")
    func lowestSpeed() async throws {
        let track = try track(seconds: 59)
        let task = Task {
            for try await _ in GPXPlayback(track, speed: .leastNonzeroMagnitude).fixes() {}
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test("A playback ends when its task is cancelled, between two readings")
    func cancelling() async throws {
        let track = try track(seconds: 59)
        let task = Task {
            var count = 0
            for try await _ in GPXPlayback(track).fixes() { count += 1 }
            return count
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }
}
