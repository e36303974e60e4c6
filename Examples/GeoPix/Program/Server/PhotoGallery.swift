//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GeoPixCore
import GodwitJSON
import GodwitQuery
import GodwitStore
import ProgramKit
import Synchronization

/// The photos of the database. The list for the map is in memory. Pages of photos are read from the database.
final class PhotoGallery: Sendable {
    /// The maximum number of photos on the map. If there are more photos, the map shows the newest.
    static let mapPhotosMax = 20_000
    /// When the number of photos in memory exceeds ``mapPhotosMax`` by more than this number, the oldest photos are
    /// removed from memory.
    private static let surplusMax = 1_000
    /// The number of photos that are read at once.
    private static let pageLimit = 500

    /// A photo on the map.
    private struct Pin: Sendable {
        let sort: Double
        let latitude: Double
        let longitude: Double
    }

    /// A change of the photos.
    enum Event: Sendable {
        case image(Photo)
        case gone(id: String)
    }

    private struct State {
        var photos: Datastore?
        var pins: [String: Pin] = [:]
        var isPart = false
        var sequence = UpdateSequence.zero
        /// The cached list for the map. After each change of ``pins``, it is `nil` until the list is requested again.
        var map: [UInt8]?
        /// The number of times that ``pins`` has changed.
        var changeCount = 0

        /// Removes the oldest photos if there are too many.
        mutating func removeOldest() {
            guard pins.count > PhotoGallery.mapPhotosMax + PhotoGallery.surplusMax else { return }
            let newest = pins.sorted { $0.value.sort > $1.value.sort }.prefix(PhotoGallery.mapPhotosMax)
            pins = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
            isPart = true
        }
    }

    private let state = Mutex(State())
    private let listeners = Listeners<Event>()

    /// Returns the database. Throws an error before the module has started.
    func datastore() throws -> Datastore {
        guard let photos = state.withLock({ $0.photos }) else { throw StoreError(.closed, "GeoPix has not started.") }
        return photos
    }

    // MARK: The map

    /// Reads the photos of the database.
    func start(_ photos: Datastore) async throws {
        let sequence = try photos.info().updateSequence
        var (pins, position, isPart): ([String: Pin], PhotoPosition?, Bool) = ([:], nil, false)
        repeat {
            let page = try await photos.photos(after: position, limit: PhotoGallery.pageLimit)
            for photo in page.photos { pins[photo.id] = PhotoGallery.pin(photo) }
            position = page.next
            if pins.count >= PhotoGallery.mapPhotosMax, position != nil {
                isPart = true
                break
            }
        } while position != nil
        state.withLock { state in
            (state.photos, state.pins, state.isPart, state.sequence) = (photos, pins, isPart, sequence)
            state.map = nil
        }
    }

    private static func pin(_ photo: Photo) -> Pin? {
        guard let latitude = photo.entry.latitude, let longitude = photo.entry.longitude else { return nil }
        return Pin(sort: photo.entry.sort, latitude: latitude, longitude: longitude)
    }

    /// Returns the list for the map as a JSON object. Its member `photos` has `[id, sort, latitude, longitude]` of the
    /// newest ``mapPhotosMax`` photos with a place, the newest first. `isPart` is `true` if photos were left out.
    func map() -> [UInt8] {
        let (made, pins, isPart, changeCount) = state.withLock { state in
            (state.map, state.map == nil ? state.pins : [:], state.isPart, state.changeCount)
        }
        if let made { return made }
        let newest = pins.sorted { $0.value.sort > $1.value.sort }.prefix(PhotoGallery.mapPhotosMax)
        let rows = newest.map { id, pin -> JSONValue in
            [.string(id), .double(pin.sort), .double(pin.latitude), .double(pin.longitude)]
        }
        let list: JSONValue = [
            "photos": .array(rows), "total": .integer(Int64(rows.count)), "isPart": .bool(isPart),
        ]
        let bytes = list.jsonBytes()
        state.withLock { state in
            // If the photos changed in the meantime, the list is outdated and is not stored.
            if state.changeCount == changeCount { state.map = bytes }
        }
        return bytes
    }

    // MARK: Changes

    /// Follows the changes until the task is cancelled or the database is closed. After that, ends the streams of all
    /// clients.
    ///
    /// - Parameter handle: A closure that is called with each change.
    func follow(_ handle: @Sendable (Event) async -> Void) async {
        guard let photos = state.withLock({ $0.photos }) else { return }
        let since = state.withLock { $0.sequence }
        do {
            for try await change in photos.changes(since: since, withDocuments: true) {
                guard let event = event(of: change) else { continue }
                tell(event)
                await handle(event)
            }
        } catch {
            // The database was closed or deleted.
        }
        listeners.finish()
    }

    private func event(of change: Change) -> Event? {
        if change.isDeleted { return .gone(id: change.id) }
        return change.document.flatMap { Photo($0) }.map { .image($0) }
    }

    private func tell(_ event: Event) {
        state.withLock { state in
            switch event {
            case .image(let photo): state.pins[photo.id] = PhotoGallery.pin(photo)
            case .gone(let id): state.pins[id] = nil
            }
            state.removeOldest()
            state.map = nil
            state.changeCount += 1
        }
        listeners.send(event)
    }

    /// Returns the changes that happen from now on.
    func events() -> AsyncStream<Event> { listeners.events() }
}
