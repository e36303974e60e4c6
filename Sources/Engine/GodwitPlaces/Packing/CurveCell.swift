//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// An entry of an R*Tree with its position on a Hilbert curve over the Earth. Entries that are close on the curve are
/// close on the Earth.
struct CurveCell: BitwiseCopyable {
    /// The position of the box's center on the curve.
    let key: UInt64
    /// The entry's number.
    let number: Int64
    /// The sides of the box; see ``BoxCell/sides``.
    let sides: SIMD4<Float>

    init(_ cell: BoxCell) {
        (number, sides) = (cell.number, cell.sides)
        key = Self.key(Self.step(cell.middle(0), of: 360), Self.step(cell.middle(1), of: 180))
    }

    /// The entry as a cell of a node.
    var cell: BoxCell { BoxCell(number: number, sides: sides, isNew: true) }

    /// Converts a coordinate of a center to a step. The range of the coordinate is divided into 2^32 steps. `middle` is
    /// the coordinate in degrees, multiplied by 2.
    private static func step(_ middle: Float, of range: Double) -> UInt32 {
        let fraction = (Double(middle) + range) / (range * 2)
        return UInt32(saturating: max(0, min(1, fraction)) * Double(UInt32.max))
    }

    /// Returns the position on the curve, computed from the highest pair of bits to the lowest. The order of the four
    /// quadrants depends on the orientation of the enclosing quadrants (Hilbert 1891).
    private static func key(_ column: UInt32, _ row: UInt32) -> UInt64 {
        var (x, y, key) = (column, row, UInt64(0))
        for bit in stride(from: UInt32(31), through: 0, by: -1) {
            let (right, upper) = ((x >> bit) & 1, (y >> bit) & 1)
            key = key << 2 | UInt64(truncatingIfNeeded: (3 * right) ^ upper)
            // This is computed without a branch, because the processor could not predict the branch.
            let rotated = 0 &- (right & (1 ^ upper))
            (x, y) = (x ^ rotated, y ^ rotated)
            let swapped = (x ^ y) & (0 &- (1 ^ upper))
            (x, y) = (x ^ swapped, y ^ swapped)
        }
        return key
    }
}
