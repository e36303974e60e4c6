//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitClient
public import GodwitGeo
import GodwitJSON
import GodwitQuery
public import GodwitStore
public import GodwitSync

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

// A region that moved with each step of the user would be another selection each time, with checkpoints of its own at both
// sides. So the Earth is laid out in cells as wide as the margin, and what is pulled is the circle round the middle of the
// user's cell: whoever stays in it has all within the radius, and whoever comes back goes on from the checkpoint of that
// cell.

/// Keeps a region of a server's database on the device: the documents within so many metres of where somebody is, also when
/// there is no network any more.
///
/// ```swift
/// try await places.ensureGeoIndex()
/// let follower = RegionFollower(places, from: remote, radius: 10_000)
/// for await fix in fixes { try await follower.move(to: Position(longitude: fix.longitude, latitude: fix.latitude)) }
/// let near = try SearchArea.circle(center: here, radius: 2_000)
/// let hits = try await places.places(GeoQuery(near)).hits      // without a network
/// ```
///
/// Documents that are here are followed wherever they go at the server: a pull asks for their ids too, 500 at a time.
///
/// The server must know `$geoIntersects`, as Godwit does; with a geospatial index of the path a pull costs what lies in the
/// region, however much else there is.
public actor RegionFollower {
    /// What becomes of documents that lie farther away than the region reaches.
    public enum Left: Sendable {
        /// They stay.
        case kept
        /// They are purged, unless they were changed here and the server does not know of it. So is every other document with
        /// a geometry elsewhere that the server has: the datastore is to be the region's own.
        case purged
    }

    private let datastore: Datastore
    private let remote: any DatabaseEndpoint
    private let path: String
    private let radius: Double
    private let margin: Double
    private let left: Left
    private let limits: ReplicationLimits
    /// The middle of what was pulled last.
    private var middle: Position?

    /// The narrowest margin, in metres.
    public static let marginMin = 100.0

    /// Describes a region that follows somebody.
    ///
    /// - Parameters:
    ///   - datastore: Where documents are kept.
    ///   - remote: From where they come.
    ///   - path: Where a document's geometry stands.
    ///   - radius: How far the region reaches at least, in metres.
    ///   - margin: How far one can go before something is pulled again, in metres; a quarter of the radius by default, and
    ///     never less than ``marginMin``. So much more than the radius is pulled.
    ///   - left: What becomes of documents that were left behind; they stay by default.
    ///   - limits: The sizes of pages and batches.
    public init(
        _ datastore: Datastore, from remote: any DatabaseEndpoint, on path: String = "geometry", radius: Double,
        margin: Double? = nil, left: Left = .kept, limits: ReplicationLimits = ReplicationLimits()
    ) {
        (self.datastore, self.remote, self.path) = (datastore, remote, path)
        (self.radius, self.left, self.limits) = (radius, left, limits)
        self.margin = max(margin ?? radius / 4, RegionFollower.marginMin)
    }

    /// Tells where one is now, and pulls what is near unless that was done. What is here with a geometry and was moved, changed
    /// or deleted at the server is brought to where the server has it, also when that is no longer near.
    ///
    /// - Returns: What was pulled of what is near; `nil` when one is still where it was done last.
    /// - Throws: ``ReplicationError`` as a pull does. The next call tries again.
    @discardableResult
    public func move(to position: Position) async throws(ReplicationError) -> ReplicationReport? {
        let cell = Self.middle(of: position, metres: margin)
        if cell == middle { return nil }
        return try await pull(cell)
    }

    /// Pulls again what is near where one was told to be last.
    ///
    /// - Returns: What was pulled of what is near; `nil` before the first ``move(to:)``.
    /// - Throws: ``ReplicationError`` as a pull does.
    @discardableResult
    public func refresh() async throws(ReplicationError) -> ReplicationReport? {
        guard let middle else { return nil }
        return try await pull(middle)
    }

    private func pull(_ cell: Position) async throws(ReplicationError) -> ReplicationReport {
        if left == .purged { try await leave(for: cell) }
        let report = try await replicator(round: cell).run()
        try await DocumentRefresh(
            source: remote, datastore: datastore, limits: limits, checkpointID: "\(try await id)-held"
        ).bringUp(somewhere)
        middle = cell
        if left == .purged { try await purgeLeft(round: cell) }
        return report
    }

    private func replicator(round cell: Position) throws(ReplicationError) -> Replicator {
        Replicator(
            .pull, datastore, with: remote, selection: try .matching(.object(selector(round: cell))), limits: limits)
    }

    /// What lies in the region.
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

    /// What has a geometry, wherever.
    private var somewhere: JSONObject { [path: ["$geoIntersects": ["$box": [[-180, -90], [180, 90]]]]] }

    /// Under which name the datastore remembers the region, wherever it is.
    private var id: String {
        get async throws(ReplicationError) {
            "region-\(try await replicator(round: Position(longitude: 0, latitude: 0)).plan().id)"
        }
    }

    // MARK: What was left behind

    /// Forgets how far the last cell was pulled, since what is purged of it is to come again when somebody returns. The last
    /// cell is noted in the datastore, for it may have been another run of the app that left it.
    private func leave(for cell: Position) async throws(ReplicationError) {
        let local = LocalEndpoint(datastore)
        let position = try await id
        let noted = try await local.checkpoint(position)
        if let longitude = noted?["longitude"]?.doubleValue, let latitude = noted?["latitude"]?.doubleValue,
            case let last = Position(longitude: longitude, latitude: latitude), last != cell
        {
            try await local.saveCheckpoint(try await replicator(round: last).plan().id, [:])
        }
        try await local.saveCheckpoint(
            position, ["longitude": .double(cell.longitude), "latitude": .double(cell.latitude)])
    }

    private func purgeLeft(round cell: Position) async throws(ReplicationError) {
        // Only what is somewhere else: what is nowhere is no business of a region.
        let outside: JSONObject = [
            "$and": [
                .object(somewhere),
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

    /// The middle of the cell in which a position lies. No place of a cell is farther from its middle than its width.
    static func middle(of position: Position, metres width: Double) -> Position {
        let metresPerDegree = 111_000.0
        let rows = max(1, (180 * metresPerDegree / width).rounded(.up))
        let row = min(rows - 1, ((position.latitude + 90) / 180 * rows).rounded(.down))
        let latitude = (row + 0.5) / rows * 180 - 90
        // Towards the poles there are fewer cells in a row.
        let columns = max(1, (360 * metresPerDegree * cos(latitude * .pi / 180) / width).rounded(.up))
        let column = min(columns - 1, ((position.longitude + 180) / 360 * columns).rounded(.down))
        return Position(longitude: (column + 0.5) / columns * 360 - 180, latitude: latitude)
    }
}
