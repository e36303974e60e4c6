//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

// Entries that do not fit into memory are sorted in runs. All runs except the last are stored in a separate table in
// the database file, so they are encrypted if the file is. A merge reads them in pieces.

/// Entries sorted along a Hilbert curve over the Earth (``CurveCell``), in runs of a limited length.
struct CurveRuns {
    private let tables: String
    private let cellsMax: Int
    private let cellsPerPieceMax: Int
    /// The cells of the last run.
    private(set) var cells: [CurveCell] = []
    /// The number of cells of each stored run.
    private(set) var stored: [Int] = []

    /// - Parameters:
    ///   - table: The table that stores runs.
    ///   - cellsMax: The maximum length of a run.
    ///   - cellsPerPieceMax: The number of cells in a row of the table.
    init(table: String, cellsMax: Int = GeoLimits.cellsSortedMax, cellsPerPieceMax: Int = GeoLimits.cellsPerPieceMax) {
        tables = table
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
            "DROP TABLE IF EXISTS \(tables); CREATE TABLE \(tables)(place INTEGER PRIMARY KEY, cells BLOB NOT NULL)")
    }

    /// Deletes the table.
    func remove(on connection: SQLiteConnection) throws { try connection.execute("DROP TABLE IF EXISTS \(tables)") }

    /// Writes the last run, which must be sorted, to the table.
    func store(on connection: SQLiteConnection) throws {
        let statement = try connection.statement(composed: "INSERT INTO \(tables) VALUES(?1, ?2)")
        for (piece, start) in stride(from: 0, to: cells.count, by: cellsPerPieceMax).enumerated() {
            let part = cells[start..<min(start + cellsPerPieceMax, cells.count)]
            statement.bind(Self.position(run: stored.count, piece: piece), at: 1)
            try statement.run(binding: part.withUnsafeBytes { Array($0) }, at: 2)
        }
    }

    /// Clears the last run after it has been stored.
    mutating func wasStored() {
        stored.append(cells.count)
        cells.removeAll(keepingCapacity: true)
    }

    private static func position(run: Int, piece: Int) -> Int64 { Int64(run) << 32 | Int64(piece) }

    /// Returns a piece of a stored run; empty after the last piece.
    fileprivate func piece(_ piece: Int, of run: Int, on connection: SQLiteConnection) throws -> [CurveCell] {
        let statement = try connection.statement(composed: "SELECT cells FROM \(tables) WHERE place = ?1")
        defer { statement.reset() }
        statement.bind(Self.position(run: run, piece: piece), at: 1)
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
        var next = 0
        var piecesRead = 0

        /// The next cell. The run must not be empty.
        var first: CurveCell { cells[next] }
    }

    private let runs: CurveRuns
    private var open: [Run]

    /// - Parameter runs: The runs. The last one must be sorted too.
    init(_ runs: CurveRuns) {
        self.runs = runs
        open = runs.stored.indices.map { Run(number: $0, cells: []) }
        if !runs.cells.isEmpty { open.append(Run(number: nil, cells: runs.cells)) }
    }

    /// Returns the next cells, up to a number.
    mutating func next(_ count: Int, on connection: SQLiteConnection) throws -> [CurveCell] {
        var merged: [CurveCell] = []
        for position in open.indices.reversed() { try refill(position, on: connection) }
        while merged.count < count, !open.isEmpty {
            var least = 0
            for position in open.indices.dropFirst() where open[position].first.key < open[least].first.key {
                least = position
            }
            merged.append(open[least].first)
            open[least].next += 1
            try refill(least, on: connection)
        }
        return merged
    }

    /// Reads the next piece of a run whose cells have been consumed, or removes the run at its end.
    private mutating func refill(_ position: Int, on connection: SQLiteConnection) throws {
        guard open[position].next == open[position].cells.count else { return }
        guard let number = open[position].number,
            case let piece = try runs.piece(open[position].piecesRead, of: number, on: connection), !piece.isEmpty
        else {
            open.remove(at: position)
            return
        }
        open[position].cells = piece
        open[position].next = 0
        open[position].piecesRead += 1
    }
}
