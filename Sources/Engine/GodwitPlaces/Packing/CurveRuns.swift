//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

// Entries that do not fit into memory are sorted in runs. All runs except the last are stored in a separate table in
// the database file, so that they are encrypted if the file is encrypted. A merge reads the stored runs in pieces.

/// Entries sorted along a Hilbert curve over the Earth (``CurveCell``), in runs of a limited length.
struct CurveRuns {
    private let table: String
    private let cellsMax: Int
    private let cellsPerPieceMax: Int
    /// The cells of the last run.
    private(set) var cells: [CurveCell] = []
    /// The number of cells of each stored run.
    private(set) var stored: [Int] = []

    /// Creates an empty sort.
    ///
    /// - Parameters:
    ///   - table: The table that stores runs.
    ///   - cellsMax: The number of cells at which a run is full. A run can be longer, because the cells of one addition
    ///     always belong to the same run.
    ///   - cellsPerPieceMax: The maximum number of cells that one row of the table stores.
    init(table: String, cellsMax: Int = GeoLimits.cellsSortedMax, cellsPerPieceMax: Int = GeoLimits.cellsPerPieceMax) {
        self.table = table
        (self.cellsMax, self.cellsPerPieceMax) = (cellsMax, cellsPerPieceMax)
    }

    /// The number of all cells.
    var count: Int { stored.reduce(cells.count, +) }

    /// Whether the last run must be stored before more cells are added.
    var isFull: Bool { cells.count >= cellsMax }

    mutating func add(_ cells: [CurveCell]) { self.cells += cells }

    /// Sorts the last run.
    mutating func sort() { cells.sort { $0.key < $1.key } }

    /// Creates the empty table.
    func create(on connection: SQLiteConnection) throws {
        try connection.execute(
            "DROP TABLE IF EXISTS \(table); CREATE TABLE \(table)(place INTEGER PRIMARY KEY, cells BLOB NOT NULL)")
    }

    /// Deletes the table.
    func remove(on connection: SQLiteConnection) throws { try connection.execute("DROP TABLE IF EXISTS \(table)") }

    /// Writes the last run, which must be sorted, to the table.
    func store(on connection: SQLiteConnection) throws {
        let statement = try connection.statement(composed: "INSERT INTO \(table) VALUES(?1, ?2)")
        for (piece, start) in stride(from: 0, to: cells.count, by: cellsPerPieceMax).enumerated() {
            let part = cells[start..<min(start + cellsPerPieceMax, cells.count)]
            statement.bind(Self.rowNumber(run: stored.count, piece: piece), at: 1)
            try statement.run(binding: part.withUnsafeBytes { Array($0) }, at: 2)
        }
    }

    /// Clears the last run after it has been stored.
    mutating func wasStored() {
        invariant(!cells.isEmpty, "a stored run has cells")
        stored.append(cells.count)
        cells.removeAll(keepingCapacity: true)
    }

    private static func rowNumber(run: Int, piece: Int) -> Int64 { Int64(run) << 32 | Int64(piece) }

    /// Returns a piece of a stored run; empty after the last piece.
    fileprivate func piece(_ piece: Int, of run: Int, on connection: SQLiteConnection) throws -> [CurveCell] {
        let statement = try connection.statement(composed: "SELECT cells FROM \(table) WHERE place = ?1")
        defer { statement.reset() }
        statement.bind(Self.rowNumber(run: run, piece: piece), at: 1)
        guard try statement.step() else { return [] }
        return statement.withBytes(0) { bytes in
            stride(from: 0, to: bytes.count, by: MemoryLayout<CurveCell>.stride).map {
                bytes.loadUnaligned(fromByteOffset: $0, as: CurveCell.self)
            }
        }
    }
}

/// Merges runs in the order of the curve.
struct CurveMerge {
    private struct Run {
        /// The number of the stored run; `nil` for the run in memory.
        let number: Int?
        var cells: [CurveCell]
        var nextIndex = 0
        var piecesRead = 0

        /// The next cell. The run must not be empty.
        var nextCell: CurveCell { cells[nextIndex] }
    }

    private let runs: CurveRuns
    private var openRuns: [Run]

    /// Creates a merge.
    ///
    /// - Parameter runs: The runs. The last run, which is in memory, must also be sorted.
    init(_ runs: CurveRuns) {
        self.runs = runs
        openRuns = runs.stored.indices.map { Run(number: $0, cells: []) }
        if !runs.cells.isEmpty { openRuns.append(Run(number: nil, cells: runs.cells)) }
    }

    /// Returns the next cells, up to a number.
    mutating func next(_ count: Int, on connection: SQLiteConnection) throws -> [CurveCell] {
        var merged: [CurveCell] = []
        for index in openRuns.indices.reversed() { try refill(index, on: connection) }
        while merged.count < count, !openRuns.isEmpty {
            var smallest = 0
            for index in openRuns.indices.dropFirst()
            where openRuns[index].nextCell.key < openRuns[smallest].nextCell.key {
                smallest = index
            }
            merged.append(openRuns[smallest].nextCell)
            openRuns[smallest].nextIndex += 1
            try refill(smallest, on: connection)
        }
        return merged
    }

    /// If all cells of a run that are in memory were used, reads the next piece of the run. If the run has no further
    /// piece, removes the run.
    private mutating func refill(_ index: Int, on connection: SQLiteConnection) throws {
        guard openRuns[index].nextIndex == openRuns[index].cells.count else { return }
        guard let number = openRuns[index].number,
            case let piece = try runs.piece(openRuns[index].piecesRead, of: number, on: connection), !piece.isEmpty
        else {
            openRuns.remove(at: index)
            return
        }
        openRuns[index].cells = piece
        openRuns[index].nextIndex = 0
        openRuns[index].piecesRead += 1
    }
}
