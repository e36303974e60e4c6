//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import Foundation
import GodwitKeys
import GodwitSync
import GodwitTransport
import LocationTrackerClient

/// A temporary folder, which is removed when this object is released.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "location-tracker-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the bytes of every file in the folder.
    func contents() throws -> [Data] {
        try FileManager.default.subpathsOfDirectory(atPath: path).compactMap {
            FileManager.default.contents(atPath: "\(path)/\($0)")
        }
    }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.posixPermissions] as? Int
    }
}

/// The tracks that the tests use.
enum Tracks {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let shipped = "Examples/LocationTracker/Data/tracks"
    private static let tested = "Tests/Clients/Data/tracks"

    static let files = [
        "\(shipped)/drive-past-the-places.gpx", "\(shipped)/around-visnjan-with-car.gpx",
        "\(tested)/korita-zbevnica.gpx", "\(tested)/cerknicko-jezero.gpx", "\(tested)/Mojstrovka.gpx",
    ]

    static func track(_ file: String) throws -> GPXTrack {
        try GPXTrack(parsing: Array(Data(contentsOf: root.appending(path: file))))
    }

    static func drive() throws -> GPXTrack { try track(files[0]) }
}

/// A provider of a random key.
struct FixedKey: KeyProvider {
    let name = "the test's key"
    let fixed = EncryptionKey.random()

    func key() async throws(KeyError) -> EncryptionKey { fixed }
}

extension TrackerAccount {
    static func test(_ username: String = "ana", host: String = "127.0.0.1:1") -> TrackerAccount {
        TrackerAccount(
            username: username, apiKey: "key-of-ana", apiPassword: "password-of-the-key",
            databaseName: "lt_locations_user_ana", databaseHost: host, databaseProtocol: "http")
    }
}

extension Fix {
    /// Returns a fix at a distance north of the equator.
    static func at(_ seconds: Int64, metersNorth: Double = 0, accuracy: Double = 5) -> Fix {
        Fix(
            latitude: metersNorth / 111_195, longitude: 0, timeMilliseconds: seconds * 1_000, accuracyMeters: accuracy)
    }
}
