//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitSQLite
package import GodwitStore

// A build finds all geometries of a database at once. If the boxes of each slice were added to an R*Tree, each node
// would be rewritten with nearly every slice. Therefore, while an index is being built and its tree is empty, a slice
// writes only the shapes. When all shapes are stored, their boxes are sorted along a Hilbert curve and the tree is
// written from the bottom up, each node once (Kamel, Faloutsos 1993). The packing takes many transactions, so that
// other writers can run between them. The last transaction writes the root, and until then the tree is empty.
// Therefore, after an interruption, only the packing must be repeated. Documents that changed during the packing are
// added to the complete tree by the next slice.

/// Creates the R*Tree of an index whose shapes are complete.
package struct TreePacking {
    private let index: IndexDescription
    private let database: IndexedDatabase
    private let boxes: String
    private let cellsSortedMax: Int

    /// Creates the packing of an index. The work begins with ``run()``.
    ///
    /// - Parameters:
    ///   - index: The index, with all its shapes.
    ///   - database: The database with the index.
    ///   - cellsSortedMax: When this number of boxes is in memory, they are sorted and written as a run.
    package init(
        _ index: IndexDescription, in database: IndexedDatabase, cellsSortedMax: Int = GeoLimits.cellsSortedMax
    ) {
        (self.index, self.database, self.cellsSortedMax) = (index, database, cellsSortedMax)
        boxes = GeoTables.boxes(of: index.number)
    }

    /// Whether an index has shapes and an empty tree.
    package static func isWanted(_ index: IndexDescription, on connection: SQLiteConnection) throws -> Bool {
        let tables = GeoTables(index, on: connection)
        return try tables.hasEmptyTree() && tables.hasShapes()
    }

    /// Creates the tree. Does nothing if the tree exists, if there are no shapes, or if the index has been deleted.
    package func run() async throws {
        guard try database.read({ try Self.isWanted(index, on: $0) }), let nodeBytes = try await begin(),
            let runs = try await sorted()
        else { return }
        var merge = CurveMerge(runs)
        var packer = NodePacker(table: boxes, nodeBytes: nodeBytes, count: runs.count)
        var leaves: [LeafEntry] = []
        var hasMore = true
        while hasMore {
            try Task.checkCancellation()
            let step = try await database.write(index) { [merge, packer] connection in
                var (merge, packer) = (merge, packer)
                let cells = try merge.next(GeoLimits.cellsPerCommit, on: connection)
                try packer.add(cells, on: connection)
                if cells.isEmpty { try packer.close(on: connection) }
                return (merge, packer, !cells.isEmpty)
            }
            guard let step else { return }
            (merge, packer, hasMore) = step
            leaves += packer.takeLeaves()
            if leaves.count >= GeoLimits.cellsSortedMax || !hasMore {
                guard try await write(leaves) else { return }
                leaves.removeAll(keepingCapacity: hasMore)
            }
        }
        _ = try await database.write(index) { [packer] connection in
            try packer.finish(on: connection)
            try runs.remove(on: connection)
        }
    }

    /// Removes the data of an interrupted build.
    ///
    /// - Returns: The size of the tree's nodes in bytes; `nil` when the index has been deleted.
    private func begin() async throws -> Int? {
        try await database.write(index) { [boxes] connection in
            try CurveRuns(table: GeoTables.runs(of: boxes)).create(on: connection)
            return try NodeWriter(boxes, on: connection).clear()
        }
    }

    /// Returns the sorted boxes of all shapes; `nil` when the index has been deleted.
    private func sorted() async throws -> CurveRuns? {
        var runs = CurveRuns(table: GeoTables.runs(of: boxes), cellsMax: cellsSortedMax)
        var last = Int64.min
        while true {
            try Task.checkCancellation()
            let page = try database.read { connection in
                try GeoTables(index, on: connection).cells(after: last, placesMax: GeoLimits.cellsPerCommit)
            }
            runs.add(page.cells)
            guard let lastOfPage = page.last else { break }
            last = lastOfPage
            guard runs.isFull else { continue }
            runs.sort()
            guard try await database.write(index, { [runs] in try runs.store(on: $0) }) != nil else { return nil }
            runs.wasStored()
        }
        runs.sort()
        return runs
    }

    /// Writes the leaves of entries.
    ///
    /// - Returns: Whether the index still exists.
    private func write(_ leaves: [LeafEntry]) async throws -> Bool {
        // The list is sorted by the numbers of entries. Adjacent rows are then in the same pages, so that fewer pages
        // are written.
        let leaves = leaves.sorted { $0.entry < $1.entry }
        for start in stride(from: 0, to: leaves.count, by: GeoLimits.cellsPerCommit) {
            let part = leaves[start..<min(start + GeoLimits.cellsPerCommit, leaves.count)]
            let result: Void? = try await database.write(index) { [boxes] connection in
                try NodeWriter(boxes, on: connection).add(part)
            }
            if result == nil { return false }
        }
        return true
    }
}

extension GeoTables {
    /// Whether the R*Tree has no entries.
    func hasEmptyTree() throws -> Bool {
        let statement = try connection.statement(composed: "SELECT data FROM \(boxes)_node WHERE nodeno = ?1")
        defer { statement.reset() }
        statement.bind(BoxNode.root, at: 1)
        guard try statement.step() else { throw BoxNode.damaged }
        return try statement.withBytes(0) { (bytes) throws(SQLiteError) in try BoxNode(bytes).cells.isEmpty }
    }

    /// Whether the index has a geometry.
    fileprivate func hasShapes() throws -> Bool {
        let statement = try connection.statement(composed: "SELECT 1 FROM \(shapes) LIMIT 1")
        defer { statement.reset() }
        return try statement.step()
    }

    /// Returns the entries of the geometries after a given geometry, up to a maximum number of geometries.
    ///
    /// - Returns: The entries, and the number of the last geometry, which is `nil` when no more geometries exist.
    fileprivate func cells(after number: Int64, placesMax: Int) throws -> (cells: [CurveCell], last: Int64?) {
        let statement = try connection.statement(
            composed: "SELECT place, shape FROM \(shapes) WHERE place > ?1 ORDER BY place LIMIT ?2")
        defer { statement.reset() }
        statement.bind(number, at: 1)
        statement.bind(placesMax, at: 2)
        var (cells, last): ([CurveCell], Int64?) = ([], nil)
        cells.reserveCapacity(placesMax)
        while try statement.step() {
            let number = statement.int64(0)
            let boxes = try statement.withBytes(1) { (bytes) throws(GeometryError) in
                try Shape.boxes(ofWellKnownBinary: bytes)
            }
            for (part, box) in boxes.enumerated() {
                cells.append(CurveCell(BoxCell(entry: GeoNumber.entry(part, of: boxes.count, ofPlace: number), box)))
            }
            last = number
        }
        return (cells, last)
    }
}
