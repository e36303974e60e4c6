//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite
import GodwitStore
import HTTPTypes

/// A base map: tiles in a file of the MBTiles format (version 1.3). The file is never written, and must not change while
/// it is open.
///
/// The map of the server draws raster tiles. Vector tiles are served for other programs.
public final class TileFile: Sendable {
    /// A tile's bytes, with their format and their entity tag.
    struct Tile {
        let bytes: [UInt8]
        let format: TileFormat
        let tag: String
    }

    /// The format of tiles whose bytes do not show their format.
    private let format: TileFormat
    /// The file's metadata for clients.
    let description: JSONValue

    /// The connection to the file. Only one tile is read at a time. This is fast enough, because reading a tile takes
    /// less than a millisecond.
    private let connection: Mutex<SQLiteConnection>

    /// Opens a file.
    ///
    /// The format is recognized by the bytes of a tile. Only if they are unknown, the format in the metadata is used. So
    /// the metadata may be missing.
    ///
    /// - Throws: ``TileFileError`` when the file cannot be read, is not an MBTiles file, or contains tiles whose format
    ///   is not PNG, JPEG, WebP or a vector tile.
    public init(path: String) throws(TileFileError) {
        var metadata: [String: String]
        let connection: SQLiteConnection
        let sample: [UInt8]
        do {
            connection = try SQLiteConnection(path: path, access: .readOnlyWithViews)
            connection.limitSteps(TileFile.stepsMax)
            metadata = try TileFile.metadata(connection)
            _ = try connection.statement("SELECT tile_data FROM tiles WHERE zoom_level = 0 LIMIT 1")
            sample = try TileFile.sample(connection)
        } catch {
            throw TileFileError(description: "\(path) cannot be read as MBTiles: \(error.message)")
        }
        let name = metadata["format"] ?? ""
        guard let format = TileFormat(of: sample) ?? TileFormat(name: name) ?? (name.isEmpty ? .png : nil) else {
            throw TileFileError(
                description:
                    "\(path) has tiles of the unknown format `\(name.prefix(40))`. Convert them to png, jpg, webp or pbf."
            )
        }
        for (name, order) in [("minzoom", "ASC"), ("maxzoom", "DESC")] where metadata[name].flatMap({ Int($0) }) == nil
        {
            metadata[name] = TileFile.zoom(connection, order: order)
        }
        self.format = format
        self.connection = Mutex(connection)
        description = TileFile.description(metadata, format)
    }

    /// Returns the first bytes of any tile; no bytes if the file has no tiles, or if its view takes too long.
    private static func sample(_ connection: SQLiteConnection) throws(SQLiteError) -> [UInt8] {
        connection.limitSteps(stepsMax)
        let statement = try connection.statement("SELECT substr(tile_data, 1, 16) FROM tiles LIMIT 1")
        defer { statement.reset() }
        do {
            return try statement.step() ? statement.bytes(0) ?? [] : []
        } catch {
            // The view `tiles` may take too long.
            guard error.isInterrupted else { throw error }
            return []
        }
    }

    /// Returns the first zoom level in an order; `nil` if there are no tiles, or if the table has no index of zoom
    /// levels and is too long.
    private static func zoom(_ connection: SQLiteConnection, order: String) -> String? {
        connection.limitSteps(zoomStepsMax)
        let sql = "SELECT zoom_level FROM tiles ORDER BY zoom_level \(order) LIMIT 1"
        guard let statement = try? connection.statement(composed: sql) else { return nil }
        defer { statement.reset() }
        guard (try? statement.step()) == true, !statement.isNull(0),
            (0...TileCoordinates.zoomMax).contains(statement.int(0))
        else { return nil }
        return String(statement.int(0))
    }

    /// Returns the tile at an index; `nil` when the file does not contain it.
    func tile(at coordinates: TileCoordinates) async throws -> Tile? {
        try await BlockingPool.shared.run {
            try self.connection.withLock { connection in
                connection.limitSteps(TileFile.stepsMax)
                let statement = try connection.statement(
                    "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?")
                defer { statement.reset() }
                statement.bind(coordinates.zoom, at: 1)
                statement.bind(coordinates.column, at: 2)
                statement.bind(coordinates.rowFromSouth, at: 3)
                guard try TileFile.step(statement), let bytes = try TileFile.bytes(statement) else { return nil }
                let digest = MessageDigest.Algorithm.sha256.digest(of: bytes).prefix(TileFile.tagBytes).hexadecimal
                return Tile(bytes: bytes, format: TileFormat(of: bytes) ?? self.format, tag: "\"\(digest)\"")
            }
        }
    }

    private static func bytes(_ statement: SQLiteStatement) throws(HTTPFailure) -> [UInt8]? {
        let count = statement.withBytes(0) { $0.count }
        guard count <= tileBytesMax else { throw tooLarge }
        return statement.bytes(0)
    }

    private static var tooLarge: HTTPFailure {
        HTTPFailure(
            .internalServerError, "tile_too_large",
            "The tile has more than \(tileBytesMax >> 20) MB. Make smaller tiles.")
    }

    /// Returns a compressed tile without its compression, for clients that do not accept gzip.
    ///
    /// - Throws: ``HTTPFailure`` with status 500 when the bytes are damaged or the result is too large.
    static func unpacked(_ bytes: [UInt8]) async throws -> [UInt8] {
        try await BlockingPool.shared.run {
            do {
                return try GzipUnpacker.unpacked(bytes, bytesMax: tileBytesMax)
            } catch {
                throw HTTPFailure(
                    .internalServerError, "tile_damaged", "The tile cannot be uncompressed: \(error). Make it again.")
            }
        }
    }

    /// Advances a statement.
    ///
    /// - Throws: ``HTTPFailure`` with status 500 when the statement was interrupted, because the view `tiles` of the file
    ///   needs too many steps.
    private static func step(_ statement: SQLiteStatement) throws -> Bool {
        do {
            return try statement.step()
        } catch {
            guard error.isInterrupted else { throw error }
            throw HTTPFailure(
                .internalServerError, "tile_too_costly",
                "The file of tiles needs more than \(stepsMax) steps for a tile. Convert its view to a table.")
        }
    }

    private static let tagBytes = 16

    /// The maximum number of SQLite's instructions for one statement. To read a tile takes a few hundred.
    private static let stepsMax = 20_000_000

    /// The maximum number of instructions to find a zoom level. With an index, it takes a few hundred.
    private static let zoomStepsMax = 2_000_000

    /// The maximum length of a tile in bytes, compressed or not.
    private static let tileBytesMax = 16 << 20

    /// The maximum number of rows of the metadata that are read, and the maximum number of characters of a value. A
    /// longer value is ignored.
    private static let metadataRowsMax = 1_000
    private static let metadataCharactersMax = 1 << 20

    private static func metadata(_ connection: SQLiteConnection) throws(SQLiteError) -> [String: String] {
        guard try hasMetadata(connection) else { return [:] }
        let statement = try connection.statement(
            "SELECT name, value FROM metadata WHERE length(name) <= ?1 AND length(value) <= ?1 LIMIT ?2")
        defer { statement.reset() }
        statement.bind(metadataCharactersMax, at: 1)
        statement.bind(metadataRowsMax, at: 2)
        var metadata: [String: String] = [:]
        while try statement.step() { metadata[statement.string(0)] = statement.string(1) }
        return metadata
    }

    private static func hasMetadata(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        let statement = try connection.statement(
            "SELECT 1 FROM sqlite_master WHERE type IN ('table', 'view') AND name = 'metadata' COLLATE NOCASE")
        defer { statement.reset() }
        return try statement.step()
    }

    /// The metadata that a map needs. The numbers in `bounds` are the west, south, east and north of the area.
    private static func description(_ metadata: [String: String], _ format: TileFormat) -> JSONValue {
        var description: JSONObject = ["available": true, "format": .string(format.rawValue)]
        for name in ["name", "attribution"] { description[name] = metadata[name].map { .string($0) } }
        for name in ["minzoom", "maxzoom"] {
            description[name] = metadata[name].flatMap { Int64($0) }.map { .integer($0) }
        }
        let bounds = metadata["bounds"]?.pieces(at: ",").compactMap { Double($0.filter { $0 != " " }) } ?? []
        if bounds.count == 4, bounds.allSatisfy(\.isFinite) {
            description["bounds"] = .array(bounds.map { .double($0) })
        }
        if format == .pbf, let json = metadata["json"], let layers = (try? JSONValue(parsing: json))?["vector_layers"] {
            description["vector_layers"] = layers
        }
        return .object(description)
    }
}

/// The error of a file that cannot be served as a base map.
public struct TileFileError: Error, CustomStringConvertible {
    /// The description of the error.
    public let description: String
}
