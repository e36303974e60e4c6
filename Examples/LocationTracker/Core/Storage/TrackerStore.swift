//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitDatabase
public import GodwitPlaces

/// The encrypted databases of the Location Tracker on the device: the user's locations, and the places near them.
public final class TrackerStore: Sendable {
    /// The folder of the databases in the app's folder.
    public static let folderName = "locationtracker"
    /// The maximum number of locations that are shown.
    public static let locationsShownMax = 100

    static let timestampsIndex = "timestamps"
    static let geometryIndex = "points"

    /// The user's locations.
    public let locations: Datastore
    /// The places that the server returned.
    public let places: Datastore
    /// The name of the user.
    public let username: String

    private let manager: DatastoreManager

    /// Opens the databases. If the databases or their indexes do not exist, they are created.
    ///
    /// - Parameters:
    ///   - folder: The folder of the databases.
    ///   - key: The key of the databases.
    ///   - username: The name of the user.
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/inUse``, ``TrackerError/Code/locked``,
    ///   ``TrackerError/Code/damaged`` or ``TrackerError/Code/storage``.
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

    /// Completes the operations in progress and closes the files.
    public func close() async { await manager.close() }

    // MARK: Locations

    /// Stores a location.
    ///
    /// - Parameters:
    ///   - location: The location.
    ///   - session: A text that identifies one run of the app.
    /// - Returns: The document of the location, which is on disk.
    @discardableResult
    public func record(_ location: Location, session: String) async throws(TrackerError) -> Document {
        do throws(StoreError) {
            return try await locations.create(Document(body: location.document(username: username, session: session)))
        } catch {
            throw TrackerError(error)
        }
    }

    /// Returns the newest locations, sorted by time in ascending order.
    ///
    /// - Parameter limit: The maximum number of locations.
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

    /// Stores places for use without a network. Places that are stored already are not changed. Places that were
    /// deleted on this device are not stored again.
    ///
    /// - Returns: The number of new places.
    @discardableResult
    public func add(_ receivedPlaces: [Place]) async throws(TrackerError) -> Int {
        var count = 0
        do throws(StoreError) {
            for place in receivedPlaces where try isUnknown(place) {
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

    /// Returns the stored places around a position, the nearest first.
    ///
    /// - Parameters:
    ///   - position: The center.
    ///   - radiusMeters: The maximum distance in meters.
    ///   - limit: The maximum number of places, up to ``GodwitPlaces/GeoLimits/hitsMax``.
    /// - Throws: ``TrackerError`` for each error of the datastore, of the circle and of the query.
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
