//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitSQLite
package import GodwitStore

// An index has three tables:
//
// - The R*Tree contains boxes. The number of an entry is computed from the numbers of its document, of its geometry and
//   of the geometry's part. Therefore, no further table is needed to find them.
// - The second table contains the shapes, by document and geometry. It also contains the document's id, by which
//   results at equal distances are ordered. If a document changes but its geometries do not, the update reads only the
//   document's shapes in this table.
// - The third table lists the documents with omitted geometries.

/// The database tables of one geospatial index.
package struct GeoTables {
    let connection: SQLiteConnection
    /// The number of the index.
    let number: Int64

    /// The name of the R*Tree.
    var boxes: String { Self.boxes(of: number) }
    /// The name of the table of shapes.
    var shapes: String { "geo_\(number)_shapes" }
    /// The name of the table of omitted geometries.
    var skipped: String { "geo_\(number)_skipped" }

    /// Creates a description of the tables of an index. Does not access the database.
    package init(_ index: IndexDescription, on connection: SQLiteConnection) {
        self.connection = connection
        number = index.number
    }

    /// Returns the name of an index's R*Tree.
    static func boxes(of number: Int64) -> String { "geo_\(number)" }

    /// Returns the name of the table that stores sorted runs of boxes while the R*Tree of a new index is built
    /// (``TreePacking``).
    static func runs(of boxes: String) -> String { "\(boxes)_runs" }

    /// Creates the tables, empty.
    ///
    /// - Throws: An error if the tables exist already; errors of writing the database.
    package func create() throws {
        try connection.execute(
            """
            CREATE VIRTUAL TABLE \(boxes) USING rtree(entry, west, east, south, north);
            CREATE TABLE \(shapes)(place INTEGER PRIMARY KEY, id TEXT NOT NULL, shape BLOB NOT NULL, geometry BLOB);
            CREATE TABLE \(skipped)(
                document INTEGER PRIMARY KEY, id TEXT NOT NULL, count INTEGER NOT NULL, reasons TEXT NOT NULL);
            """)
    }

    /// Removes the tables, including the tables of an interrupted packing. Ignores tables that do not exist.
    package func remove() throws {
        try connection.execute(
            """
            DROP TABLE IF EXISTS \(boxes); DROP TABLE IF EXISTS \(shapes); DROP TABLE IF EXISTS \(skipped);
            DROP TABLE IF EXISTS \(Self.runs(of: boxes))
            """)
    }

    /// Returns the size of all pages of the index's tables, in bytes. The table of an interrupted packing is not
    /// counted.
    func bytes() throws -> Int {
        try connection.pageBytes(of: ["_node", "_parent", "_rowid", "_shapes", "_skipped"].map { boxes + $0 })
    }

    /// Returns the number of geometries.
    package func count() throws -> Int { try integer("SELECT count(*) FROM \(shapes)") }

    /// Returns the number of documents with a geometry in the index. Until the R*Tree of a new index is complete, the
    /// number is too small: the entries of the R*Tree that are the first of their documents (``first``) are counted.
    func documentCount() throws -> Int {
        try integer(
            "SELECT count(*) FROM \(boxes)_rowid WHERE rowid & \(GeoNumber.first.mask) <= \(GeoNumber.first.value)")
    }

    /// Whether a document has several geometries.
    package func hasSeveral(_ document: Int64) throws -> Bool {
        let statement = try connection.statement(
            composed: "SELECT 1 FROM \(shapes) WHERE place >= ?1 AND place < ?2 LIMIT 1 OFFSET 1")
        defer { statement.reset() }
        let numbers = GeoNumber.places(of: document)
        statement.bind(numbers.lowerBound, at: 1)
        statement.bind(numbers.upperBound, at: 2)
        return try statement.step()
    }

    /// Returns the shapes of a document's geometries in their order, as well-known binary.
    func shapes(of document: Int64) throws -> [[UInt8]] {
        let statement = try connection.statement(
            composed: "SELECT shape FROM \(shapes) WHERE place >= ?1 AND place < ?2 ORDER BY place")
        defer { statement.reset() }
        let numbers = GeoNumber.places(of: document)
        statement.bind(numbers.lowerBound, at: 1)
        statement.bind(numbers.upperBound, at: 2)
        var result: [[UInt8]] = []
        while try statement.step() { result.append(statement.bytes(0) ?? []) }
        return result
    }

    private func integer(_ sql: String) throws -> Int {
        let statement = try connection.statement(composed: sql)
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }
}

/// The numbering of geometries and of entries in the R*Tree.
///
/// The number of a geometry consists of the document's number and 12 bits for the geometry's index in the document. The
/// number of an entry consists of the number of a geometry and two bits for the part: 0 for the only part, 1 and 2 for
/// the parts on either side of the antimeridian.
enum GeoNumber {
    private static let ordinalBits: Int64 = 12
    private static let partBits: Int64 = 2

    /// The greatest number of a document whose geometries can be numbered. Only a file from outside can contain a
    /// greater number. Such a document has no geometries.
    private static let documentMax = Int64.max >> (ordinalBits + partBits) - 1

    /// Returns the numbers of a document's geometries.
    static func places(of document: Int64) -> Range<Int64> {
        guard (0...documentMax).contains(document) else { return 0..<0 }
        return document << ordinalBits..<(document + 1) << ordinalBits
    }

    static func position(_ ordinal: Int, of document: Int64) -> Int64 {
        invariant((0..<1 << ordinalBits).contains(Int64(ordinal)), "the index of a geometry fits into its number")
        return document << ordinalBits | Int64(ordinal)
    }

    static func document(ofPlace position: Int64) -> Int64 { position >> ordinalBits }

    static func ordinal(ofPlace position: Int64) -> Int { Int(position & (1 << ordinalBits - 1)) }

    static func entry(_ part: Int, of parts: Int, ofPlace position: Int64) -> Int64 {
        invariant(parts <= 2 && (0..<max(parts, 0)).contains(part), "a geometry has a part, or two at the antimeridian")
        return position << partBits | Int64(parts == 1 ? 0 : part + 1)
    }

    static func position(ofEntry entry: Int64) -> Int64 { entry >> partBits }

    /// Whether the entry is one of two parts of its geometry.
    static func isPart(entry: Int64) -> Bool { entry & (1 << partBits - 1) != 0 }

    /// The condition for the first entry of a document in the R*Tree: the only part or the first part of its first
    /// geometry. `mask` selects the low bits of the number of an entry. The entry is the first of its document if the
    /// number in these bits is at most `value`.
    static let first = (mask: (Int64(1) << (ordinalBits + partBits)) - 1, value: Int64(1))

    /// Returns the SQL expression for the number of an entry's geometry.
    static func placeSQL(_ entry: String) -> String { "\(entry) >> \(partBits)" }
}
