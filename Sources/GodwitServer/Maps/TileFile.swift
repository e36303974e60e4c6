//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitJSON
import GodwitSQLite
import GodwitStore
import GodwitThreads
import HTTPTypes

/// A base map: raster tiles in a file of the MBTiles format (version 1.3). The file is never written, and must not
/// change while it is open.
public final class TileFile: Sendable {
    /// A tile's bytes, with their entity tag.
    struct Tile {
        let bytes: [UInt8]
        let tag: String
    }

    let contentType: String
    /// The file's metadata for clients.
    let description: JSONValue

    /// The connection to the file. Only one tile is read at a time. This is fast enough, because reading a tile takes
    /// less than a millisecond.
    private let connection: Mutex<SQLiteConnection>

    private static let contentTypes = [
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp",
    ]

    /// Opens a file.
    ///
    /// - Throws: ``TileFileError`` when the file cannot be read, is not an MBTiles file, or contains tiles whose format
    ///   is not PNG, JPEG or WebP.
    public init(path: String) throws(TileFileError) {
        let metadata: [String: String]
        let connection: SQLiteConnection
        do {
            connection = try SQLiteConnection(path: path, access: .readOnlyWithViews)
            connection.limitSteps(TileFile.stepsMax)
            metadata = try TileFile.metadata(connection)
            _ = try connection.statement("SELECT tile_data FROM tiles WHERE zoom_level = 0 LIMIT 1")
        } catch {
            throw TileFileError(description: "\(path) cannot be read as MBTiles: \(error.message)")
        }
        let format = metadata["format"] ?? "png"
        guard let contentType = TileFile.contentTypes[format] else {
            throw TileFileError(
                description:
                    "\(path) has tiles of the format `\(format)`, which the map cannot show: use png, jpg or "
                    + "webp. Convert vector tiles (pbf) to images first.")
        }
        self.contentType = contentType
        self.connection = Mutex(connection)
        description = TileFile.description(metadata)
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
                guard try TileFile.step(statement), let bytes = statement.bytes(0) else { return nil }
                let digest = MessageDigest.Algorithm.sha256.digest(of: bytes).prefix(TileFile.tagBytes).hexadecimal
                return Tile(bytes: bytes, tag: "\"\(digest)\"")
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

    private static func metadata(_ connection: SQLiteConnection) throws(SQLiteError) -> [String: String] {
        let statement = try connection.statement("SELECT name, value FROM metadata")
        defer { statement.reset() }
        var metadata: [String: String] = [:]
        while try statement.step() { metadata[statement.string(0)] = statement.string(1) }
        return metadata
    }

    /// The metadata that a map needs. The numbers in `bounds` are the west, south, east and north of the area.
    private static func description(_ metadata: [String: String]) -> JSONValue {
        var description: JSONObject = ["available": true]
        for name in ["name", "attribution"] { description[name] = metadata[name].map { .string($0) } }
        for name in ["minzoom", "maxzoom"] {
            description[name] = metadata[name].flatMap { Int64($0) }.map { .integer($0) }
        }
        let bounds = metadata["bounds"]?.split(separator: ",").compactMap { Double($0.filter { $0 != " " }) } ?? []
        if bounds.count == 4, bounds.allSatisfy(\.isFinite) {
            description["bounds"] = .array(bounds.map { .double($0) })
        }
        return .object(description)
    }
}

/// The error of a file that cannot be served as a base map.
public struct TileFileError: Error, CustomStringConvertible {
    /// The description of the error.
    public let description: String
}
