//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitSQLite
package import GodwitStore

/// A geometry that a query found.
package struct GeoFound: Sendable {
    /// The position of the geometry in the order of the query.
    package let position: GeoPosition
    /// The number of its document.
    package let document: Int64
    /// The document's geometry, as well-known binary.
    private let binary: [UInt8]
    /// The coordinate system of the geometry, which is the coordinate system of the index.
    package let system: CoordinateSystem

    init(position: GeoPosition, document: Int64, binary: [UInt8], system: CoordinateSystem) {
        (self.position, self.document, self.binary, self.system) = (position, document, binary, system)
    }

    /// The result without its geometry.
    var withoutGeometry: GeoFound { GeoFound(position: position, document: document, binary: [], system: system) }

    /// The document's geometry.
    package var geometry: Geometry {
        get throws(GeometryError) { try Geometry(wellKnownBinary: binary, system: system) }
    }
}

/// Reads the entries of an index, beginning with those that are nearest to the center of a query.
///
/// For each entry, a lower bound of its distance is known, and the entries are read in the order of these bounds. A
/// matching geometry waits in a queue until no later entry can be nearer. Therefore the first hits are known before all
/// entries are read.
package struct GeoWalk {
    private let query: GeoQuery
    private let test: RelationTest?
    private let measure: DistanceMeasure
    private let boxes: [BoundingBox]
    private let metresMax: Double

    /// Prepares a query.
    ///
    /// - Throws: ``GeometryError`` when the area cannot be searched.
    package init(_ query: GeoQuery) throws(GeometryError) {
        self.query = query
        let relation = query.tested
        test = query.isBounded ? try RelationTest(query.area, relation) : nil
        if let test {
            measure = DistanceMeasure(from: try test.center())
        } else {
            measure = DistanceMeasure(from: try query.area.center())
        }
        boxes = relation == .disjoint ? [] : test?.searchBoxes ?? []
        if case .ellipse(let ellipse) = query.area, ellipse.isCircle, ![.none, .disjoint].contains(relation) {
            metresMax = ellipse.rangeX
        } else {
            metresMax = .infinity
        }
    }

    /// The limits on the cost of a page.
    package struct Budget: Sendable {
        /// The maximum number of geometries to examine.
        package var examinedMax: Int
        /// The maximum time in seconds.
        package var secondsMax: Double
        /// Returns whether the query has been cancelled. The function is called from time to time during the query.
        package var isCancelled: @Sendable () -> Bool = { false }

        /// Creates a budget. By default, only the time is limited, to ``GeoLimits/querySecondsMax``.
        package init(
            examinedMax: Int = .max, secondsMax: Double = GeoLimits.querySecondsMax,
            isCancelled: @escaping @Sendable () -> Bool = { false }
        ) {
            self.examinedMax = examinedMax
            self.secondsMax = secondsMax
            self.isCancelled = isCancelled
        }
    }

    /// Returns the next geometries in their order, within a read.
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - table: The database state.
    ///   - position: The position after which geometries are returned; `nil` for the first geometries.
    ///   - limit: The maximum number of geometries.
    ///   - budget: The limits on the cost.
    ///   - keepsGeometries: Whether the results contain the geometries, not only their positions.
    /// - Returns: `nil` when the query exceeds the budget.
    /// - Throws: `CancellationError` when ``Budget/isCancelled`` returns `true`; ``GeometryError`` when a geometry
    ///   cannot be tested; an error of SQLite.
    package func page(
        of index: IndexDescription, in table: DocumentTable, after position: GeoPosition?, limit: Int, _ budget: Budget,
        keepsGeometries: Bool = true
    ) throws -> [GeoFound]? {
        guard limit > 0 else { return [] }
        let system = try GeoIndex.definition(of: index).system
        let statement = try statement(index, table.connection, after: position)
        defer { statement.reset() }
        var queue = GeoQueue(limit: limit)
        var parts: Set<Int64> = []
        var examined = 0
        let end = ContinuousClock.now + .seconds(budget.secondsMax)
        while try statement.step() {
            let box = BoundingBox(
                west: statement.double(1), south: statement.double(3), east: statement.double(2),
                north: statement.double(4))
            if queue.isSettled(from: measure.metresMin(to: box)) { break }
            examined += 1
            if examined > budget.examinedMax || ContinuousClock.now > end { return nil }
            if examined.isMultiple(of: 1_024), budget.isCancelled() { throw CancellationError() }
            let entry = statement.int64(0)
            if GeoNumber.isPart(entry: entry), !parts.insert(GeoNumber.position(ofEntry: entry)).inserted { continue }
            if let geometry = try matchingGeometry(statement, table.scope, after: position, &queue, system) {
                queue.insert(keepsGeometries ? geometry : geometry.withoutGeometry)
            }
        }
        return queue.found
    }

    private func statement(
        _ index: IndexDescription, _ connection: SQLiteConnection, after position: GeoPosition?
    ) throws -> SQLiteStatement {
        try statement(
            index, connection, "b.entry, b.west, b.east, b.south, b.north, s.place, s.id, s.shape, s.geometry",
            "WHERE \(GeoScan.condition("b.entry"))", after: max(query.metresMin, position?.metres ?? 0))
    }

    /// Returns the statement for the entries whose boxes match, the nearest first.
    private func statement(
        _ index: IndexDescription, _ connection: SQLiteConnection, _ columns: String, _ suffix: String,
        after metres: Double = 0
    ) throws -> SQLiteStatement {
        try GeoScan.register(on: connection)
        let tables = GeoTables(index, on: connection)
        let statement = try connection.statement(
            composed: """
                SELECT \(columns) FROM \(tables.boxes) b
                CROSS JOIN \(tables.shapes) s ON s.place = \(GeoNumber.placeSQL("b.entry")) \(suffix)
                """)
        let scan = GeoScan(measure: measure, boxes: boxes, after: metres, until: metresMax)
        statement.bind(scan.bytes as [UInt8]?, at: 1)
        return statement
    }

    /// Returns the geometry of a row, if it matches and is near enough to be among the results.
    private func matchingGeometry(
        _ statement: SQLiteStatement, _ scope: Scope, after last: GeoPosition?, _ queue: inout GeoQueue,
        _ system: CoordinateSystem
    ) throws -> GeoFound? {
        let metres = try statement.withBytes(7) { (bytes) throws(GeometryError) -> Double? in
            let metres = try measure.metres(toWellKnownBinary: bytes)
            guard metres >= max(query.metresMin, last?.metres ?? 0), queue.accepts(metres),
                try test?.holds(forWellKnownBinary: bytes, metres: metres) ?? true
            else { return nil }
            return metres
        }
        guard let metres else { return nil }
        let number = statement.int64(5)
        let position = GeoPosition(
            metres: metres, storedID: statement.string(6), ordinal: GeoNumber.ordinal(ofPlace: number))
        if let last, position <= last { return nil }
        guard position.storedID.utf8.starts(with: scope.prefix.utf8) else { return nil }
        let geometry = GeoFound(
            position: position, document: GeoNumber.document(ofPlace: number),
            binary: statement.bytes(statement.isNull(8) ? 7 : 8) ?? [], system: system)
        return try query.heights.isEmpty || geometry.geometry.meets(query.heights) ? geometry : nil
    }
}

extension GeoWalk {
    /// Counts the geometries whose boxes match, up to a maximum.
    package func count(of index: IndexDescription, in table: DocumentTable, upTo most: Int) throws -> Int {
        let statement = try statement(index, table.connection, "1", "WHERE \(GeoScan.condition("b.entry")) LIMIT ?2")
        defer { statement.reset() }
        statement.bind(most == .max ? -1 : most, at: 2)
        var count = 0
        while try statement.step() { count += 1 }
        return count
    }

    /// Returns the sequences of documents whose boxes match and that changed after a sequence, up to a maximum number.
    package func sequences(
        of index: IndexDescription, in table: DocumentTable, after sequence: Int64, most: Int
    ) throws -> Set<Int64> {
        let statement = try statement(
            index, table.connection, "DISTINCT d.sequence",
            """
            CROSS JOIN documents d ON d.id = s.id WHERE \(GeoScan.condition("b.entry")) AND d.sequence > ?2 LIMIT ?3
            """)
        defer { statement.reset() }
        statement.bind(sequence, at: 2)
        statement.bind(most, at: 3)
        var result: Set<Int64> = []
        while try statement.step() { result.insert(statement.int64(0)) }
        return result
    }

    /// Returns the first position of a document in the results; `nil` when no geometry of it matches.
    package func firstPlace(
        of document: Int64, storedID: String, in index: IndexDescription, on connection: SQLiteConnection
    ) throws -> GeoPosition? {
        let shapes = try GeoTables(index, on: connection).shapes(of: document)
        return try shapes.enumerated().compactMap { ordinal, shape in
            try shape.withUnsafeBytes { (bytes) throws(GeometryError) -> GeoPosition? in
                let metres = try measure.metres(toWellKnownBinary: bytes)
                guard metres >= query.metresMin, try test?.holds(forWellKnownBinary: bytes) ?? true else { return nil }
                return GeoPosition(metres: metres, storedID: storedID, ordinal: ordinal)
            }
        }.min()
    }
}

/// The nearest of the geometries that were examined.
struct GeoQueue {
    /// The geometries in their order.
    private(set) var found: [GeoFound] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Whether the result is final if all geometries that are not examined yet have at least this distance.
    func isSettled(from metres: Double) -> Bool { found.count == limit && found[limit - 1].position.metres < metres }

    /// Whether a geometry at this distance may be among the nearest.
    func accepts(_ metres: Double) -> Bool { found.count < limit || metres <= found[limit - 1].position.metres }

    mutating func insert(_ new: GeoFound) {
        var (low, high) = (0, found.count)
        while low < high {
            let middle = (low + high) / 2
            if found[middle].position < new.position { low = middle + 1 } else { high = middle }
        }
        guard low < limit else { return }
        if found.count == limit { found.removeLast() }
        found.insert(new, at: low)
    }
}
