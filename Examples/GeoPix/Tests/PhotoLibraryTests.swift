//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import Foundation
import GeoPixCore
import GodwitDatabase
import Testing

@Suite("The photos on a device")
struct PhotoLibraryTests {
    private func withLibrary(_ body: (PhotoLibrary) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "geopix-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let library = try await PhotoLibrary(folder: folder, key: .random())
        do {
            try await body(library)
        } catch {
            await library.close()
            throw error
        }
        await library.close()
    }

    @Test("Pages contain each photo once, the newest first, several of one time too", arguments: [1, 2, 7, 100])
    func pages(_ limit: Int) async throws {
        try await withLibrary { library in
            for number in 0..<12 {
                let entry = PhotoEntry(at: 1_000 + Double(number / 5), place: nil)
                _ = try await library.add([1], thumbnail: [2], entry, owner: "ann", token: "token-\(number)")
            }
            var (ids, position): ([String], PhotoPosition?) = ([], nil)
            var sorts: [Double] = []
            repeat {
                let page = try await library.photos.photos(after: position, limit: limit)
                #expect(page.photos.count <= limit)
                ids += page.photos.map(\.id)
                sorts += page.photos.map(\.entry.sort)
                position = page.next
            } while position != nil
            #expect(ids.count == 12 && Set(ids).count == 12)
            #expect(sorts == sorts.sorted(by: >))
        }
    }

    @Test("A photo whose time is beyond the range of numbers is refused", arguments: [1e300, -1e19, .infinity, .nan])
    func timeBeyondRange(_ sort: Double) async throws {
        try await withLibrary { library in
            var entry = PhotoEntry(at: 1_000, place: nil)
            entry.sort = sort
            let error = await #expect(throws: DeviceError.self) {
                _ = try await library.add([1], thumbnail: [2], entry, owner: "ann", token: "a-token")
            }
            #expect(error?.code == .input)
            let count = try library.count()
            #expect(count == 0)
        }
    }

    @Test("A repeated addition with one token stores one photo")
    func repeated() async throws {
        try await withLibrary { library in
            let entry = PhotoEntry(at: 1_000, place: PhotoPlace(latitude: 47, longitude: 8), caption: "One")
            let first = try await library.add([1, 2], thumbnail: [3], entry, owner: "ann", token: "a-token")
            let later = PhotoEntry(at: 2_000, place: nil)
            let second = try await library.add([4], thumbnail: [5], later, owner: "ann", token: "a-token")
            #expect(first.id == second.id && second.entry.sort == 1_000)
            #expect(try library.count() == 1)
            #expect(try await library.image(of: first.id) == [1, 2])
            #expect(await library.thumbnail(of: first.id) == [3])
        }
    }

    @Test("The document of a photo has the members of the original, and only a caption besides")
    func members() throws {
        let place = try #require(PhotoPlace(latitude: 47.1, longitude: -8.5, altitude: 410, course: 90))
        #expect(place.label == "Lat: +47.10000, Lon: -8.50000")
        let entry = PhotoEntry(at: 1_400_000_000.25, place: place)
        #expect(Set(entry.body.keys) == ["sort", "clientDate", "latitude", "longitude", "altitude", "course", "type"])
        #expect(entry.body["type"] == "com.geopix.entry" && entry.body["sort"] == .double(1_400_000_000.25))
        #expect(PhotoEntry(entry.body) == entry)
        let captioned = PhotoEntry(at: 1, place: nil, caption: String(repeating: "x", count: 1_000))
        #expect(captioned.caption?.count == PhotoEntry.captionLengthMax)
        #expect(captioned.body["latitude"] == .null)
        #expect(PhotoEntry(["type": "other", "sort": 1]) == nil)
        #expect(PhotoPlace(latitude: 91, longitude: 0) == nil)
    }

    @Test("Another key does not open the photos")
    func wrongKey() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "geopix-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await (try PhotoLibrary(folder: folder, key: .random())).close()
        let error = await #expect(throws: DeviceError.self) { try await PhotoLibrary(folder: folder, key: .random()) }
        #expect(error?.code == .locked)
    }
}
