//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitQuery
public import GodwitStore
public import GodwitSync
public import GodwitTransport

// A pull selects documents in an area, and each selection has its own checkpoints on both sides. If the area moved with
// each move of the user, each position would be a new selection without a checkpoint. Therefore, the Earth is divided
// into cells as wide as the margin, and a pull selects a circle around the center of the user's cell. The circle is
// larger than the radius by the margin. Therefore, while the user stays in the cell, all documents within the radius
// are on the device. When the user returns to a cell, the pull continues from the checkpoint of that cell.

/// Replicates a moving region of a server's database to the device. The region contains the documents within a radius
/// of the user's position. These documents are available without a network.
///
/// ```swift
/// try await places.ensureGeoIndex()
/// let follower = RegionFollower(places, from: remote, radius: 10_000)
/// for await fix in fixes { try await follower.move(to: Position(longitude: fix.longitude, latitude: fix.latitude)) }
/// let near = try SearchArea.circle(center: here, radius: 2_000)
/// let hits = try await places.places(GeoQuery(near)).hits      // without a network
/// ```
///
/// A document on the device is also updated if it has left the region on the server. For this purpose, a pull also
/// requests the changes of all documents on the device by their ids, 500 at a time.
///
/// Call ``GeospatialQueries/enable()`` before the datastore's manager is opened. The server must support
/// `$geoIntersects`, as Godwit does. If the server has a geospatial index of the path, the cost of a pull depends only
/// on the documents in the region, not on the size of the database.
public actor RegionFollower {
    /// The action for documents outside the region.
    public enum Left: Sendable {
        /// The documents are kept.
        case kept
        /// The documents are purged. Documents with local changes that the server does not have are kept. All documents
        /// of the datastore that are also on the server and whose geometries are outside the region are purged.
        /// Therefore, use a separate datastore for the region.
        case purged
    }

    private let datastore: Datastore
    private let remote: any DatabaseEndpoint
    private let path: String
    private let radius: Double
    private let margin: Double
    private let left: Left
    private let limits: ReplicationLimits
    /// The center of the cell of the last pull.
    private var lastCell: Position?

    /// The minimum margin in meters.
    public static let marginMin = 100.0

    /// Creates a follower of a moving region.
    ///
    /// - Parameters:
    ///   - datastore: The local database.
    ///   - remote: The database to pull from.
    ///   - path: The path of a document's geometry.
    ///   - radius: The minimum radius of the region, in meters.
    ///   - margin: The width in meters of the cells into which the Earth is divided; a quarter of the radius by
    ///     default, and at least ``marginMin``. A new pull begins when the user enters another cell. Near the edge of a
    ///     cell, this may be after a short distance. A pull selects a circle whose radius is greater than `radius` by
    ///     the margin.
    ///   - left: The action for documents outside the region. By default, they are kept.
    ///   - limits: The sizes of pages and batches.
    public init(
        _ datastore: Datastore, from remote: any DatabaseEndpoint, on path: String = "geometry", radius: Double,
        margin: Double? = nil, left: Left = .kept, limits: ReplicationLimits = ReplicationLimits()
    ) {
        (self.datastore, self.remote, self.path) = (datastore, remote, path)
        (self.radius, self.left, self.limits) = (radius, left, limits)
        self.margin = max(margin ?? radius / 4, RegionFollower.marginMin)
    }

    /// Sets the user's position. If the user has left the cell of the last pull, pulls the surroundings of the
    /// position. All local documents with a geometry are also updated if they were changed, moved or deleted on the
    /// server, even if they are no longer near the user.
    ///
    /// Wait for the result before you call this method or ``refresh()`` again, because concurrent pulls may end in any
    /// order.
    ///
    /// - Returns: The report of the pull of the surroundings; `nil` when the user is still in the cell of the last
    ///   pull.
    /// - Throws: The ``ReplicationError`` of the pull. The next call tries again.
    @discardableResult
    public func move(to position: Position) async throws(ReplicationError) -> ReplicationReport? {
        let cell = Self.middle(of: position, metres: margin)
        if cell == lastCell { return nil }
        return try await pull(cell)
    }

    /// Pulls the surroundings of the last position again.
    ///
    /// - Returns: The report of the pull of the surroundings; `nil` before the first successful ``move(to:)``.
    /// - Throws: ``ReplicationError`` as a pull.
    @discardableResult
    public func refresh() async throws(ReplicationError) -> ReplicationReport? {
        guard let lastCell else { return nil }
        return try await pull(lastCell)
    }

    private func pull(_ cell: Position) async throws(ReplicationError) -> ReplicationReport {
        if left == .purged { try await resetPreviousCell(for: cell) }
        let report = try await replicator(round: cell).run()
        try await DocumentRefresh(
            source: remote, datastore: datastore, limits: limits, checkpointID: "\(try await id)-held"
        ).bringUp(anyGeometry)
        lastCell = cell
        if left == .purged { try await purgeLeft(round: cell) }
        return report
    }

    private func replicator(round cell: Position) throws(ReplicationError) -> Replicator {
        Replicator(
            .pull, datastore, with: remote, selection: try .matching(.object(selector(round: cell))), limits: limits)
    }

    /// Returns the selector of the documents in the region.
    private func selector(round cell: Position) -> JSONObject {
        [path: ["$geoIntersects": circle(round: cell)]]
    }

    private func circle(round cell: Position) -> JSONValue {
        [
            "$circle": [
                "center": [.double(cell.longitude), .double(cell.latitude)], "radius": .double(radius + margin),
            ]
        ]
    }

    /// The selector of all documents with a geometry.
    private var anyGeometry: JSONObject { [path: ["$geoIntersects": ["$box": [[-180, -90], [180, 90]]]]] }

    /// The id under which the datastore stores the region's state. The id does not depend on the position of the
    /// region.
    private var id: String {
        get async throws(ReplicationError) {
            "region-\(try await replicator(round: Position(longitude: 0, latitude: 0)).plan().id)"
        }
    }

    // MARK: Documents outside of the region

    /// Resets the checkpoint of the previous cell. The documents of this cell are purged, so they must be pulled again
    /// when the user returns to it. The previous cell is stored in the datastore, because an earlier run of the app may
    /// have pulled it.
    private func resetPreviousCell(for cell: Position) async throws(ReplicationError) {
        let local = LocalEndpoint(datastore)
        let checkpointID = try await id
        let savedCell = try await local.checkpoint(checkpointID)
        if let longitude = savedCell?["longitude"]?.doubleValue, let latitude = savedCell?["latitude"]?.doubleValue,
            case let lastCenter = Position(longitude: longitude, latitude: latitude), lastCenter != cell
        {
            try await local.saveCheckpoint(try await replicator(round: lastCenter).plan().id, [:])
        }
        try await local.saveCheckpoint(
            checkpointID, ["longitude": .double(cell.longitude), "latitude": .double(cell.latitude)])
    }

    private func purgeLeft(round cell: Position) async throws(ReplicationError) {
        // Documents without a geometry are not purged.
        let outside: JSONObject = [
            "$and": [
                .object(anyGeometry),
                .object([path: ["$not": ["$geoIntersects": circle(round: cell)]]]),
            ]
        ]
        do {
            try await datastore.forEachSlice(of: outside) { try await purge($0) }
        } catch {
            throw ReplicationError(reading: error, "the region")
        }
    }

    private func purge(_ ids: [String]) async throws {
        let documents = try datastore.read { table in
            try ids.compactMap { id -> RevisionsOfDocument? in
                guard let row = try table.row(id: id), !DocumentID.isDesign(id) else { return nil }
                return RevisionsOfDocument(id: id, revisions: row.leaves.map(\.revision))
            }
        }
        try await KnownPurge(source: remote, datastore: datastore).purge(documents)
    }

    // MARK: Cells

    /// Returns the center of the cell of a position. The distance between the position and this center is at most the
    /// width of a cell.
    static func middle(of position: Position, metres width: Double) -> Position {
        let metresPerDegree = 111_000.0
        let rows = max(1, (180 * metresPerDegree / width).rounded(.up))
        let row = min(rows - 1, ((position.latitude + 90) / 180 * rows).rounded(.down))
        let latitude = (row + 0.5) / rows * 180 - 90
        // Rows of cells near the poles have fewer cells.
        let columns = max(1, (360 * metresPerDegree * cos(latitude * .pi / 180) / width).rounded(.up))
        let column = min(columns - 1, ((position.longitude + 180) / 360 * columns).rounded(.down))
        return Position(longitude: (column + 0.5) / columns * 360 - 180, latitude: latitude)
    }
}
