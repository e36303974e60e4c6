//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Which tile of the world: at a zoom there are two to its power in each direction, counted from the north-west.
struct TileCoordinates: Equatable {
    let zoom: Int
    let column: Int
    let row: Int

    /// The highest zoom that a file of tiles has.
    private static let zoomMax = 30

    /// Reads the three numbers of an address; the last one may have a file's ending.
    ///
    /// - Returns: `nil` for what names no tile.
    init?(zoom: String, column: String, row: String) {
        let row = row.lastIndex(of: ".").map { String(row[..<$0]) } ?? row
        guard let zoom = Int(zoom), let column = Int(column), let row = Int(row),
            (0...TileCoordinates.zoomMax).contains(zoom),
            (0..<1 << zoom).contains(column), (0..<1 << zoom).contains(row)
        else { return nil }
        (self.zoom, self.column, self.row) = (zoom, column, row)
    }

    /// The row as MBTiles counts it: from the south (TMS).
    var rowFromSouth: Int { (1 << zoom) - 1 - row }
}
