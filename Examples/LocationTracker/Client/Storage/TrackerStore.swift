//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitDatabase
public import GodwitPlaces

/// What the Location Tracker keeps on the device: the user's locations and the places that they came by, encrypted.
public final class TrackerStore: Sendable {
    /// The folder of the databases, within the app's.
    public static let folderName = "locationtracker"
    /// How many locations are shown.
    public static let locationsShownMax = 100

    static let timestampsIndex = "timestamps"
    static let geometryIndex = "points"

    /// The user's locations.
    public let locations: Datastore
    /// Places that the server told of.
    public let places: Datastore
    /// Whose they are.
    public let username: String

    private let manager: DatastoreManager

    /// Opens the databases, and makes them and their indexes when they are not there.
    ///
    /// - Parameters:
    ///   - folder: Their folder.
    ///   - key: What they are encrypted with.
    ///   - username: Whose they are.
    /// - Throws: ``TrackerError``: ``TrackerError/Code/inUse``, ``TrackerError/Code/locked``,
    ///   ``TrackerError/Code/damaged``, ``TrackerError/Code/storage``.
    public init(folder: String, key: EncryptionKey, username: String) async throws(TrackerError) {
        self.username = username
        do throws(StoreError) {
            GeospatialQueries.enable()
            manager = try DatastoreManager(directory: folder, key: key)
        } catch {
            throw TrackerError(error)
        }
        do throws(StoreError) {
            locations = try await manager.datastore(named: "locations")
            places = try await manager.datastore(named: "places")
            try await locations.ensureIndex(["created_at"], named: TrackerStore.timestampsIndex)
            try await places.ensureGeoIndex(on: "geometry", named: TrackerStore.geometryIndex)
        } catch {
            await manager.close()
            throw TrackerError(error)
        }
    }

    /// Finishes what is under way and closes the files.
    public func close() async { await manager.close() }

    // MARK: Locations

    /// Keeps a location.
    ///
    /// - Parameter session: What the locations of one run of the app have in common.
    /// - Returns: Its document, which is on disk.
    @discardableResult
    public func record(_ location: Location, session: String) async throws(TrackerError) -> Document {
        do throws(StoreError) {
            return try await locations.create(Document(body: location.document(username: username, session: session)))
        } catch {
            throw TrackerError(error)
        }
    }

    /// The newest locations, the oldest of them first, as they are drawn.
    ///
    /// - Parameter limit: How many at most.
    public func recentLocations(limit: Int = locationsShownMax) async throws(TrackerError) -> [Document] {
        let query = FindQuery(
            selector: ["created_at": ["$gt": 0]], sort: [.descending("created_at")], limit: limit,
            index: [TrackerStore.timestampsIndex])
        do throws(StoreError) {
            return try await locations.find(query).documents.reversed()
        } catch {
            throw TrackerError(error)
        }
    }

    // MARK: Places

    /// Keeps places for when there is no network. One that is there already stays as it is, one that was deleted here
    /// stays deleted.
    ///
    /// - Returns: How many were new.
    @discardableResult
    public func add(_ found: [Place]) async throws(TrackerError) -> Int {
        var count = 0
        do throws(StoreError) {
            for place in found where try isUnknown(place) {
                _ = try await places.create(Document(id: place.id, body: place.body))
                count += 1
            }
        } catch {
            throw TrackerError(error)
        }
        return count
    }

    private func isUnknown(_ place: Place) throws(StoreError) -> Bool {
        do throws(StoreError) {
            _ = try places.document(place.id)
            return false
        } catch {
            guard error.code != .deleted else { return false }
            guard error.code == .notFound else { throw error }
            return true
        }
    }

    /// The places that are known here around a position, the nearest first.
    ///
    /// - Parameters:
    ///   - position: The middle.
    ///   - radiusMeters: How far they may be.
    ///   - limit: How many at most; up to ``GodwitPlaces/GeoLimits/hitsMax``.
    public func places(
        around position: Position, radiusMeters: Double = Place.radiusMeters, limit: Int = GeoLimits.hitsMax
    ) async throws(TrackerError) -> [NearbyPlace] {
        do {
            var query = GeoQuery(try .circle(center: position, radius: radiusMeters))
            query.limit = limit
            return try await places.places(query, index: TrackerStore.geometryIndex).hits.compactMap { hit in
                Place(id: hit.document.id ?? "", document: hit.document.body).map {
                    NearbyPlace(place: $0, meters: hit.metres)
                }
            }
        } catch let error as StoreError {
            throw TrackerError(error)
        } catch {
            throw TrackerError(.storage, "\(error)", cause: error)
        }
    }
}
