//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitGeo
package import GodwitSQLite
package import GodwitStore

// Three tables. An R*Tree of boxes, whose entries are numbered by document, geometry and part, so that no other table need
// say what belongs to what. The shapes, by document and geometry, with the id that decides between equal distances. And the
// documents of which something was left out. Documents that change without their geometries cost one look-up.

/// The tables of one geospatial index.
package struct GeoTables {
    let connection: SQLiteConnection
    /// The index's.
    let number: Int64

    /// The R*Tree.
    var boxes: String { Self.boxes(of: number) }
    /// The shapes.
    var shapes: String { "geo_\(number)_shapes" }
    /// What was left out.
    var skipped: String { "geo_\(number)_skipped" }

    package init(_ index: IndexDescription, on connection: SQLiteConnection) {
        self.connection = connection
        number = index.number
    }

    /// The name of an index's R*Tree.
    static func boxes(of number: Int64) -> String { "geo_\(number)" }

    /// The name of the table that holds runs of boxes while a tree is packed.
    static func runs(of boxes: String) -> String { "\(boxes)_runs" }

    package func create() throws {
        try connection.execute(
            """
            CREATE VIRTUAL TABLE \(boxes) USING rtree(entry, west, east, south, north);
            CREATE TABLE \(shapes)(place INTEGER PRIMARY KEY, id TEXT NOT NULL, shape BLOB NOT NULL, geometry BLOB);
            CREATE TABLE \(skipped)(
                document INTEGER PRIMARY KEY, id TEXT NOT NULL, count INTEGER NOT NULL, reasons TEXT NOT NULL);
            """)
    }

    package func remove() throws {
        try connection.execute(
            """
            DROP TABLE IF EXISTS \(boxes); DROP TABLE IF EXISTS \(shapes); DROP TABLE IF EXISTS \(skipped);
            DROP TABLE IF EXISTS \(Self.runs(of: boxes))
            """)
    }

    /// The bytes of the pages of all its tables.
    func bytes() throws -> Int {
        try connection.pageBytes(of: ["_node", "_parent", "_rowid", "_shapes", "_skipped"].map { boxes + $0 })
    }

    /// How many geometries there are.
    package func count() throws -> Int { try integer("SELECT count(*) FROM \(shapes)") }

    /// How many documents there are. The first geometry of each is counted, off the smallest table.
    func documentCount() throws -> Int {
        try integer(
            "SELECT count(*) FROM \(boxes)_rowid WHERE rowid & \(GeoNumber.first.mask) <= \(GeoNumber.first.value)")
    }

    /// Whether a document has several geometries.
    package func hasSeveral(_ document: Int64) throws -> Bool {
        let statement = try connection.statement(
            composed: "SELECT 1 FROM \(shapes) WHERE place >= ?1 AND place < ?2 LIMIT 1 OFFSET 1")
        defer { statement.reset() }
        let places = GeoNumber.places(of: document)
        statement.bind(places.lowerBound, at: 1)
        statement.bind(places.upperBound, at: 2)
        return try statement.step()
    }

    /// The shapes of a document's geometries in their order, as well-known binary.
    func shapes(of document: Int64) throws -> [[UInt8]] {
        let statement = try connection.statement(
            composed: "SELECT shape FROM \(shapes) WHERE place >= ?1 AND place < ?2 ORDER BY place")
        defer { statement.reset() }
        let places = GeoNumber.places(of: document)
        statement.bind(places.lowerBound, at: 1)
        statement.bind(places.upperBound, at: 2)
        var found: [[UInt8]] = []
        while try statement.step() { found.append(statement.bytes(0) ?? []) }
        return found
    }

    private func integer(_ sql: String) throws -> Int {
        let statement = try connection.statement(composed: sql)
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }
}

/// How places and entries are numbered.
///
/// A place is a geometry of a document: the document's number, then 12 bits for which of its geometries. An entry is a
/// part of a place: two more bits, 0 for the only part, 1 and 2 for those on either side of the antimeridian.
enum GeoNumber {
    private static let ordinalBits: Int64 = 12
    private static let partBits: Int64 = 2

    /// The places of a document.
    static func places(of document: Int64) -> Range<Int64> {
        document << ordinalBits..<(document + 1) << ordinalBits
    }

    static func position(_ ordinal: Int, of document: Int64) -> Int64 { document << ordinalBits | Int64(ordinal) }

    static func document(ofPlace position: Int64) -> Int64 { position >> ordinalBits }

    static func ordinal(ofPlace position: Int64) -> Int { Int(position & (1 << ordinalBits - 1)) }

    static func entry(_ part: Int, of parts: Int, ofPlace position: Int64) -> Int64 {
        position << partBits | Int64(parts == 1 ? 0 : part + 1)
    }

    static func position(ofEntry entry: Int64) -> Int64 { entry >> partBits }

    /// Whether the place has other entries.
    static func isPart(entry: Int64) -> Bool { entry & (1 << partBits - 1) != 0 }

    /// By which bits, and up to which value of them, the first entry of a document is known: its first geometry's only
    /// part or first part.
    static let first = (mask: (Int64(1) << (ordinalBits + partBits)) - 1, value: Int64(1))

    /// As SQL: the place of an entry.
    static func placeSQL(_ entry: String) -> String { "\(entry) >> \(partBits)" }
}
