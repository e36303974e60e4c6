//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import CSQLite
import GodwitGeo
import GodwitSQLite

// SQLite walks an R*Tree in the order of a score that a function gives each node and each entry. Ours is a lower bound of
// the metres from the middle of the query to what lies in the box, so that entries come out nearest first, and what no
// answer can be in is never opened. The function is C's, called by SQLite for each box; what it must know of the query is
// one value of bytes.

/// The order in which an R*Tree's entries are walked, and what is left out.
struct GeoScan {
    /// From where is measured.
    let measure: DistanceMeasure
    /// Where is looked; everywhere without any.
    let boxes: [BoundingBox]
    /// What lies nearer than this as a whole is left out.
    let after: Double
    /// What lies farther than this is left out.
    let until: Double

    private static let function = "godwit_walk"

    /// As SQL: the entries of a table, the value of ``bytes`` being the first parameter.
    static func condition(_ column: String) -> String { "\(column) MATCH \(function)(?1)" }

    /// Gives a connection the function.
    static func register(on connection: SQLiteConnection) throws {
        try connection.extend("places") { handle in
            sqlite3_rtree_query_callback(handle, function, { GeoScan.look($0) }, nil, nil)
        }
    }

    /// What SQLite hands to the function.
    var bytes: [UInt8] {
        var numbers = [measure.origin.longitude, measure.origin.latitude, after, until]
        for box in boxes { numbers += [box.west, box.south, box.east, box.north] }
        return numbers.withUnsafeBytes { Array($0) }
    }

    private init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 32, bytes.count % 32 == 0 else { return nil }
        func number(_ index: Int) -> Double { bytes.loadUnaligned(fromByteOffset: index * 8, as: Double.self) }
        guard let measure = try? DistanceMeasure(from: Position(longitude: number(0), latitude: number(1))) else {
            return nil
        }
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

    /// The score of a box; `nil` when nothing in it is looked for.
    @inline(__always)
    private func score(_ box: BoundingBox) -> Double? {
        if !boxes.isEmpty, !boxes.contains(where: { $0.meets(box) }) { return nil }
        let score = measure.metresMin(to: box)
        if score > until || after > 0 && measure.metresMax(to: box) < after { return nil }
        return score
    }

    // MARK: Called by SQLite

    /// A scan for as long as a statement runs.
    private final class Running {
        let scan: GeoScan

        init(_ scan: GeoScan) { self.scan = scan }
    }

    private static func look(_ pointer: UnsafeMutablePointer<sqlite3_rtree_query_info>?) -> Int32 {
        guard let pointer else { return SQLITE_ERROR }
        if pointer.pointee.pUser == nil {
            guard pointer.pointee.nParam == 1, let value = pointer.pointee.apSqlParam[0],
                let blob = sqlite3_value_blob(value),
                let scan = GeoScan(UnsafeRawBufferPointer(start: blob, count: Int(sqlite3_value_bytes(value))))
            else { return SQLITE_ERROR }
            pointer.pointee.pUser = Unmanaged.passRetained(Running(scan)).toOpaque()
            pointer.pointee.xDelUser = { pointer in
                if let pointer { Unmanaged<Running>.fromOpaque(pointer).release() }
            }
        }
        guard let user = pointer.pointee.pUser, let sides = pointer.pointee.aCoord else { return SQLITE_ERROR }
        let box = BoundingBox(west: sides[0], south: sides[2], east: sides[1], north: sides[3])
        let score = Unmanaged<Running>.fromOpaque(user)._withUnsafeGuaranteedRef { $0.scan.score(box) }
        pointer.pointee.eWithin = score == nil ? NOT_WITHIN : PARTLY_WITHIN
        pointer.pointee.rScore = score ?? 0
        return SQLITE_OK
    }
}
