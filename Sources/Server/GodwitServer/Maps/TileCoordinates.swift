//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The index of a map tile. At zoom level z, the world has 2^z tiles in each direction, counted from the north-west.
struct TileCoordinates: Equatable {
    let zoom: Int
    let column: Int
    let row: Int

    /// The highest zoom level of a file with tiles.
    static let zoomMax = 30

    /// Parses the three numbers of a URL. The last one may have a file extension.
    ///
    /// - Returns: `nil` for invalid numbers, and for numbers that are out of range.
    init?(zoom: String, column: String, row: String) {
        let row = row.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(row[..<$0]) } ?? row
        guard let zoom = Int(zoom), let column = Int(column), let row = Int(row),
            (0...TileCoordinates.zoomMax).contains(zoom),
            (0..<1 << zoom).contains(column), (0..<1 << zoom).contains(row)
        else { return nil }
        (self.zoom, self.column, self.row) = (zoom, column, row)
    }

    /// The number of the row in an MBTiles file, where rows are counted from the south (TMS).
    var rowFromSouth: Int { (1 << zoom) - 1 - row }
}
