//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite
import GodwitSQLite

// SQLite walks an R*Tree in the order of a score that a callback returns for each node and each entry. Here, the score
// of a box is a lower bound of the distance, in meters, from the center of the query to anything in the box. Therefore,
// the nearest entries are returned first, and nodes that cannot contain a result are never opened. SQLite calls the
// callback for each box, and passes the query to the callback as one blob.

/// The order in which an R*Tree's entries are walked, and the conditions that exclude boxes.
struct GeoScan {
    /// Measures distances from the query's center.
    let measure: DistanceMeasure
    /// The boxes to search; empty for the complete Earth.
    let boxes: [BoundingBox]
    /// The minimum distance. A box is excluded if all its points are nearer.
    let after: Double
    /// The maximum distance. A box is excluded if all its points are farther away.
    let until: Double

    private static let function = "godwit_walk"

    /// Returns the SQL condition for the entries of a table. Its first parameter is ``bytes``.
    static func condition(_ column: String) -> String { "\(column) MATCH \(function)(?1)" }

    /// Registers the callback with a connection.
    static func register(on connection: SQLiteConnection) throws {
        try connection.extend("places") { handle in
            sqlite3_rtree_query_callback(handle, function, { GeoScan.scoreBox($0) }, nil, nil)
        }
    }

    /// The argument of the callback.
    var bytes: [UInt8] {
        var numbers = [measure.origin.longitude, measure.origin.latitude, after, until]
        for box in boxes { numbers += [box.west, box.south, box.east, box.north] }
        return numbers.withUnsafeBytes { Array($0) }
    }

    private init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 32, bytes.count % 32 == 0 else { return nil }
        func number(_ index: Int) -> Double { bytes.loadUnaligned(fromByteOffset: index * 8, as: Double.self) }
        let measure = DistanceMeasure(from: Position(longitude: number(0), latitude: number(1)))
        let boxes = (1..<bytes.count / 32).map { index in
            BoundingBox(
                west: number(index * 4), south: number(index * 4 + 1), east: number(index * 4 + 2),
                north: number(index * 4 + 3))
        }
        self.init(measure: measure, boxes: boxes, after: number(2), until: number(3))
    }

    init(measure: DistanceMeasure, boxes: [BoundingBox], after: Double, until: Double) {
        self.measure = measure
        self.boxes = boxes
        self.after = after
        self.until = until
    }

    /// Returns the score of a box; `nil` when the box is excluded.
    @inline(__always)
    private func score(_ box: BoundingBox) -> Double? {
        if !boxes.isEmpty, !boxes.contains(where: { $0.meets(box) }) { return nil }
        let score = measure.metresMin(to: box)
        if score > until || after > 0 && measure.metresMax(to: box) < after { return nil }
        return score
    }

    // MARK: Called by SQLite

    /// An object that stores a scan while a statement runs.
    private final class ScanHolder {
        let scan: GeoScan

        init(_ scan: GeoScan) { self.scan = scan }
    }

    /// Sets the score of a box, or excludes the box. The first call of a statement decodes the scan.
    private static func scoreBox(_ pointer: UnsafeMutablePointer<sqlite3_rtree_query_info>?) -> Int32 {
        guard let pointer else { return SQLITE_ERROR }
        if pointer.pointee.pUser == nil {
            guard pointer.pointee.nParam == 1, let value = pointer.pointee.apSqlParam[0],
                let blob = sqlite3_value_blob(value),
                let scan = GeoScan(UnsafeRawBufferPointer(start: blob, count: Int(sqlite3_value_bytes(value))))
            else { return SQLITE_ERROR }
            pointer.pointee.pUser = Unmanaged.passRetained(ScanHolder(scan)).toOpaque()
            pointer.pointee.xDelUser = { pointer in
                if let pointer { Unmanaged<ScanHolder>.fromOpaque(pointer).release() }
            }
        }
        guard let user = pointer.pointee.pUser, let sides = pointer.pointee.aCoord else { return SQLITE_ERROR }
        let box = BoundingBox(west: sides[0], south: sides[2], east: sides[1], north: sides[3])
        let score = Unmanaged<ScanHolder>.fromOpaque(user)._withUnsafeGuaranteedRef { $0.scan.score(box) }
        pointer.pointee.eWithin = score == nil ? NOT_WITHIN : PARTLY_WITHIN
        pointer.pointee.rScore = score ?? 0
        return SQLITE_OK
    }
}
