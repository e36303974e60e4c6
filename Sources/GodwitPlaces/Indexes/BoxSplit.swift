//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Divides cells among nodes, as an R*Tree does (Beckmann, Kriegel, Schneider, Seeger 1990): across the side along which the
/// halves are the smaller in all, where the halves have least in common. Many cells are halved again, until each part fits.
struct BoxSplit {
    /// No half is less than this part of the whole.
    private static let smallestHalf = 0.4

    private let cellsMax: Int
    /// The parts, in places of the cells.
    private(set) var parts: [Range<Int>] = []
    /// The boxes around the first so many cells, and around the last so many.
    private var first: [SIMD4<Float>]
    private var last: [SIMD4<Float>]

    /// Puts cells into such an order that each part is a range of them.
    init(_ cells: inout [BoxCell], cellsMax: Int) {
        self.cellsMax = cellsMax
        first = Array(repeating: .noBox, count: cells.count + 1)
        last = first
        cells.withUnsafeMutableBufferPointer { divide($0, from: 0) }
    }

    private mutating func divide(_ whole: UnsafeMutableBufferPointer<BoxCell>, from start: Int) {
        guard whole.count > cellsMax else { return parts.append(start..<start + whole.count) }
        var cells = whole
        cells.sort { $0.middle(0) < $1.middle(0) }
        let byLongitude = best(of: cells)
        cells.sort { $0.middle(1) < $1.middle(1) }
        let byLatitude = best(of: cells)
        if byLongitude.margins < byLatitude.margins { cells.sort { $0.middle(0) < $1.middle(0) } }
        let cut = byLongitude.margins < byLatitude.margins ? byLongitude.cut : byLatitude.cut
        divide(UnsafeMutableBufferPointer(rebasing: cells[..<cut]), from: start)
        divide(UnsafeMutableBufferPointer(rebasing: cells[cut...]), from: start + cut)
    }

    /// Where cells in their order are best cut, and what the halves of all cuts measure together.
    private mutating func best(of cells: UnsafeMutableBufferPointer<BoxCell>) -> (cut: Int, margins: Double) {
        let count = cells.count
        (first[0], last[0]) = (.noBox, .noBox)
        for position in 0..<count {
            first[position + 1] = first[position].joined(cells[position].sides)
            last[position + 1] = last[position].joined(cells[count - 1 - position].sides)
        }
        let smallest = max(1, Int(Double(count) * Self.smallestHalf))
        var (margins, cut, least) = (0.0, smallest, (Double.infinity, Double.infinity))
        for position in smallest...(count - smallest) {
            let (left, right) = (first[position], last[count - position])
            margins += left.margin + right.margin
            let common = (left.overlap(right), left.area + right.area)
            if common < least { (cut, least) = (position, common) }
        }
        return (cut, margins)
    }
}
