//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
package import GodwitSQLite
package import GodwitStore

/// Writes one geospatial index within a transaction.
///
/// The table of shapes has a row for each geometry of a document. The number of the row is the geometry's number
/// (``GeoNumber``), in the column `place`. The R*Tree has one or more entries for each geometry, each with a bounding
/// box. Boxes are first collected in memory, because it is faster to add many boxes together. ``finish()`` adds the
/// collected boxes to the R*Tree.
package struct GeoWriter {
    private let tables: GeoTables
    private let findShapes: SQLiteStatement
    private let addShape: SQLiteStatement
    private let removeBox: SQLiteStatement
    private let removeShapes: SQLiteStatement
    private let addSkipped: SQLiteStatement
    private let removeSkipped: SQLiteStatement
    private var tree: BoxTree
    /// Whether only shapes are written, and no boxes. This is so while the index is being built: ``TreePacking``
    /// creates the R*Tree when all shapes are stored.
    private let isGathering: Bool
    /// The boxes to add, and the documents that they belong to.
    private var pendingBoxes: [BoxCell] = []
    private var documents: Set<Int64> = []
    /// The number after the greatest number in the table of shapes.
    private var newPlace: Int64
    /// The number after the greatest document number in the table of skipped documents.
    private var newSkipped: Int64

    /// Creates a writer for an index, within a write transaction of `connection`.
    ///
    /// - Throws: An error of reading the tables of the index.
    package init(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        let tables = GeoTables(index, on: connection)
        self.tables = tables
        let (boxes, shapes, skipped) = (tables.boxes, tables.shapes, tables.skipped)
        func statement(_ form: Int, _ sql: () -> String) throws -> SQLiteStatement {
            try connection.statement(of: tables.number, form: form, sql)
        }
        // Returns the integer that a query returns; 0 for `NULL`.
        func maximum(_ form: Int, _ sql: () -> String) throws -> Int64 {
            let statement = try statement(form, sql)
            defer { statement.reset() }
            return try statement.step() ? statement.int64(0) : 0
        }
        tree = try BoxTree(boxes, on: connection, statement: statement)
        isGathering = try index.state == .behind && tables.hasEmptyTree()
        findShapes = try statement(5) {
            "SELECT place, shape, geometry FROM \(shapes) WHERE place >= ?1 AND place < ?2 ORDER BY place"
        }
        addShape = try statement(6) { "INSERT INTO \(shapes) VALUES(?1, ?2, ?3, ?4)" }
        removeBox = try statement(7) { "DELETE FROM \(boxes) WHERE entry = ?1" }
        removeShapes = try statement(8) { "DELETE FROM \(shapes) WHERE place >= ?1 AND place < ?2" }
        addSkipped = try statement(9) { "INSERT OR REPLACE INTO \(skipped) VALUES(?1, ?2, ?3, ?4)" }
        removeSkipped = try statement(10) { "DELETE FROM \(skipped) WHERE document = ?1" }
        newPlace = try maximum(11) { "SELECT max(place) FROM \(shapes)" }.addingSaturated(1)
        newSkipped = try maximum(12) { "SELECT max(document) FROM \(skipped)" }.addingSaturated(1)
    }

    /// Adds the collected boxes to the R*Tree. Call this method after the last change. Otherwise, the collected boxes
    /// are lost.
    package mutating func finish() throws {
        invariant(!isGathering || pendingBoxes.isEmpty, "boxes are collected only for a complete tree")
        try tree.insert(pendingBoxes)
        pendingBoxes.removeAll(keepingCapacity: true)
        documents.removeAll(keepingCapacity: true)
    }

    /// Replaces a document's geometries, and its row in the table of skipped documents.
    package mutating func replace(with new: GeoEntries, number: Int64, storedID: String) throws {
        GeoCounts.count(new)
        if try !has(new.entries, number) {
            try removeEntries(of: number)
            for (ordinal, entry) in new.entries.enumerated() {
                try add(entry, geometryNumber: GeoNumber.position(ordinal, of: number), storedID)
            }
            if !new.entries.isEmpty, !isGathering { documents.insert(number) }
            if pendingBoxes.count >= GeoLimits.boxesWaitingMax { try finish() }
        }
        try setSkipped(new, number, storedID)
    }

    /// Removes a document from the index.
    package mutating func remove(number: Int64) throws {
        try removeEntries(of: number)
        try removeSkippedRow(number)
    }

    /// Whether the table of shapes contains exactly these geometries of a document, in this order.
    func has(_ entries: [GeoEntries.Entry], _ number: Int64) throws -> Bool {
        let numbers = GeoNumber.places(of: number)
        guard numbers.lowerBound < newPlace else { return entries.isEmpty }
        defer { findShapes.reset() }
        findShapes.bind(numbers.lowerBound, at: 1)
        findShapes.bind(numbers.upperBound, at: 2)
        var count = 0
        while try findShapes.step() {
            guard count < entries.count else { return false }
            let entry = entries[count]
            guard findShapes.withBytes(1, { $0.elementsEqual(entry.shape) }), findShapes.bytes(2) == entry.geometry
            else {
                return false
            }
            count += 1
        }
        return count == entries.count
    }

    /// Returns the number of a document's geometries, for the check of a database file
    /// (``Datastore/check(faultsMax:)``).
    ///
    /// - Returns: `nil` when the R*Tree does not contain a box of a geometry, or contains a box that does not cover its
    ///   geometry.
    package func completeCount(of number: Int64) throws -> Int? {
        let entries = try stored(number)
        return try hasBoxes(of: entries, number) ? entries.count : nil
    }

    /// Returns the document's indexed geometries.
    func stored(_ number: Int64) throws -> [GeoEntries.Entry] {
        let numbers = GeoNumber.places(of: number)
        guard numbers.lowerBound < newPlace else { return [] }
        defer { findShapes.reset() }
        findShapes.bind(numbers.lowerBound, at: 1)
        findShapes.bind(numbers.upperBound, at: 2)
        var entries: [GeoEntries.Entry] = []
        while try findShapes.step() {
            let shape = findShapes.bytes(1) ?? []
            entries.append(
                .init(boxes: try Shape(wellKnownBinary: shape).boxes, shape: shape, geometry: findShapes.bytes(2)))
        }
        return entries
    }

    /// Whether the R*Tree has an entry for each box of these geometries, and the stored boxes cover these boxes. The
    /// check of a file calls this.
    func hasBoxes(of entries: [GeoEntries.Entry], _ number: Int64) throws -> Bool {
        let statement = try tables.connection.statement(
            composed: "SELECT west, east, south, north FROM \(tables.boxes) WHERE entry = ?1")
        for (ordinal, entry) in entries.enumerated() {
            let geometryNumber = GeoNumber.position(ordinal, of: number)
            for (part, box) in entry.boxes.enumerated() {
                defer { statement.reset() }
                statement.bind(GeoNumber.entry(part, of: entry.boxes.count, ofPlace: geometryNumber), at: 1)
                guard try statement.step(), statement.double(0) <= box.west, statement.double(1) >= box.east,
                    statement.double(2) <= box.south, statement.double(3) >= box.north
                else { return false }
            }
        }
        return true
    }

    // MARK: Rows

    private mutating func add(_ entry: GeoEntries.Entry, geometryNumber: Int64, _ storedID: String) throws {
        addShape.bind(geometryNumber, at: 1)
        addShape.bind(storedID, at: 2)
        addShape.bind(entry.shape as [UInt8]?, at: 3)
        addShape.bind(entry.geometry, at: 4)
        try addShape.run()
        newPlace = max(newPlace, geometryNumber.addingSaturated(1))
        invariant(!entry.shape.isEmpty, "a stored geometry has a shape")
        guard !isGathering else { return }
        for (part, box) in entry.boxes.enumerated() {
            let number = GeoNumber.entry(part, of: entry.boxes.count, ofPlace: geometryNumber)
            pendingBoxes.append(BoxCell(entry: number, box))
        }
    }

    private mutating func removeEntries(of number: Int64) throws {
        let entries = try stored(number)
        guard !entries.isEmpty else { return }
        if documents.contains(number) { try finish() }
        for (ordinal, entry) in entries.enumerated() where !isGathering {
            let geometryNumber = GeoNumber.position(ordinal, of: number)
            for part in entry.boxes.indices {
                removeBox.bind(GeoNumber.entry(part, of: entry.boxes.count, ofPlace: geometryNumber), at: 1)
                try removeBox.run()
            }
        }
        let numbers = GeoNumber.places(of: number)
        removeShapes.bind(numbers.lowerBound, at: 1)
        removeShapes.bind(numbers.upperBound, at: 2)
        try removeShapes.run()
    }

    private mutating func setSkipped(_ new: GeoEntries, _ number: Int64, _ storedID: String) throws {
        guard new.skipped > 0 else { return try removeSkippedRow(number) }
        invariant(!new.reasons.isEmpty, "omitted geometries have a reason")
        addSkipped.bind(number, at: 1)
        addSkipped.bind(storedID, at: 2)
        addSkipped.bind(new.skipped, at: 3)
        addSkipped.bind(JSONValue.array(new.reasons.map { .string($0) }).jsonText(), at: 4)
        try addSkipped.run()
        newSkipped = max(newSkipped, number.addingSaturated(1))
    }

    private func removeSkippedRow(_ number: Int64) throws {
        guard number < newSkipped else { return }
        removeSkipped.bind(number, at: 1)
        try removeSkipped.run()
    }
}
