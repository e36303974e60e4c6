//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An entry of an R*Tree with its place on a Hilbert curve over the Earth: entries that follow one another there lie near each
/// other.
struct CurveCell: BitwiseCopyable {
    /// How far along the curve the middle of the box lies.
    let key: UInt64
    /// The entry's number.
    let number: Int64
    /// See ``BoxCell/sides``.
    let sides: SIMD4<Float>

    init(_ cell: BoxCell) {
        (number, sides) = (cell.number, cell.sides)
        key = Self.key(Self.step(cell.middle(0), of: 360), Self.step(cell.middle(1), of: 180))
    }

    /// The entry for a node.
    var cell: BoxCell { BoxCell(number: number, sides: sides, isNew: true) }

    /// Which of 2^32 steps from one end of the Earth to the other twice the degrees of a middle are.
    private static func step(_ middle: Float, of range: Double) -> UInt32 {
        let part = (Double(middle) + range) / (range * 2)
        return UInt32(max(0, min(1, part)) * Double(UInt32.max))
    }

    /// The place on the curve, a pair of bits at a time from the highest: which quarter comes first, second, third and fourth
    /// depends on how the quarters around it were turned (Hilbert 1891).
    private static func key(_ column: UInt32, _ row: UInt32) -> UInt64 {
        var (x, y, key) = (column, row, UInt64(0))
        for bit in stride(from: UInt32(31), through: 0, by: -1) {
            let (right, upper) = ((x >> bit) & 1, (y >> bit) & 1)
            key = key << 2 | UInt64((3 * right) ^ upper)
            // Without a branch: the bits are as good as random.
            let turned = 0 &- (right & (1 ^ upper))
            (x, y) = (x ^ turned, y ^ turned)
            let swapped = (x ^ y) & (0 &- (1 ^ upper))
            (x, y) = (x ^ swapped, y ^ swapped)
        }
        return key
    }
}
