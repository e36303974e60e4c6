//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitDatabase
import GodwitPlaces
import LocationTrackerClient
import Testing

@Suite("Data on the device")
struct TrackerStoreTests {
    private func withStore(_ body: (TrackerStore, TemporaryFolder) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let store = try await TrackerStore(folder: folder.path, key: .random(), username: "ana")
        do {
            try await body(store, folder)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    private func place(_ id: String, metersNorth: Double, name: String = "") throws -> Place {
        let point: JSONValue = ["type": "Point", "coordinates": [0, .double(metersNorth / 111_195)]]
        return try #require(
            Place(id: id, document: ["_id": "x", "_rev": "1-a", "name": .string(name), "geometry": point]))
    }

    @Test("The newest hundred, in ascending order of time, in any order of arrival")
    func recent() async throws {
        try await withStore { store, _ in
            for second in (0..<120).shuffled() {
                try await store.record(Location(.at(Int64(second + 1))), session: "s")
            }
            let shown = try await store.recentLocations().map { $0.body["created_at"]?.intValue }
            #expect(shown == (21...120).map { $0 * 1_000 })
        }
    }

    @Test("No plain text is on the disk, and the files are encrypted with the key")
    func encrypted() async throws {
        let folder = try TemporaryFolder()
        let key = EncryptionKey.random()
        var store = try await TrackerStore(folder: folder.path, key: key, username: "ana-who-travels")
        try await store.record(Location(.at(1)), session: "journey-one")
        try await store.add([place("p", metersNorth: 5, name: "Godwit Bay")])
        for text in ["ana-who-travels", "journey-one", "Godwit Bay", "timestamps"] {
            #expect(try folder.contents().allSatisfy { $0.range(of: Data(text.utf8)) == nil }, "\(text) is in plain")
        }
        await store.close()
        let error = await #expect(throws: TrackerError.self) {
            _ = try await TrackerStore(folder: folder.path, key: .random(), username: "ana")
        }
        #expect(error?.code == .locked)
        store = try await TrackerStore(folder: folder.path, key: key, username: "ana")
        #expect(try await store.recentLocations().count == 1)
        await store.close()
    }

    @Test("A second process gets an error")
    func inUse() async throws {
        try await withStore { _, folder in
            let error = await #expect(throws: TrackerError.self) {
                _ = try await TrackerStore(folder: folder.path, key: .random(), username: "ana")
            }
            #expect(error?.code == .inUse)
        }
    }

    @Test("An existing place is not changed, and a place that was deleted on the device does not return")
    func places() async throws {
        try await withStore { store, _ in
            let found = [try place("a", metersNorth: 10, name: "A"), try place("b", metersNorth: 20, name: "B")]
            #expect(try await store.add(found) == 2)
            _ = try await store.places.delete("b")
            #expect(try await store.add([try place("a", metersNorth: 10, name: "changed"), found[1]]) == 0)
            #expect(try store.places.document("a").body["name"] == "A")
            #expect(try store.places.document("a").body["_rev"] == nil)
            let near = try await store.places(around: Position(longitude: 0, latitude: 0))
            #expect(near.map(\.place.id) == ["a"])
        }
    }

    @Test("Places within two and a half miles, the nearest first, without a network")
    func nearby() async throws {
        try await withStore { store, _ in
            try await store.add([
                try place("far", metersNorth: 4_060), try place("edge", metersNorth: 3_990),
                try place("near", metersNorth: 100),
            ])
            let near = try await store.places(around: Position(longitude: 0, latitude: 0))
            #expect(near.map(\.place.id) == ["near", "edge"])
            #expect(abs((near.first?.meters ?? 0) - 100) < 1)
            #expect(try await store.places(around: Position(longitude: 0, latitude: 0), limit: 1).count == 1)
        }
    }

    @Test("A document without geometry is not a place")
    func noPlace() { #expect(Place(id: "x", document: ["name": "nowhere"]) == nil) }
}
