//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Divides cells among nodes by the split algorithm of the R*Tree (Beckmann, Kriegel, Schneider, Seeger 1990). The
/// algorithm chooses the axis for which the sum of the margins of all possible splits is smaller. On this axis, it
/// divides the cells at the position at which the two parts overlap least. The parts are divided again until each of
/// them fits into a node.
struct BoxSplit {
    /// The minimum number of cells in each of the two parts, as a fraction of the number of all cells.
    private static let smallestHalf = 0.4

    private let cellsMax: Int
    /// The parts, as ranges of the reordered cells.
    private(set) var parts: [Range<Int>] = []
    /// For each number n, `first[n]` is the bounding box of the first n cells, and `last[n]` is the bounding box of the
    /// last n cells.
    private var first: [SIMD4<Float>]
    private var last: [SIMD4<Float>]

    /// Reorders cells so that each part is a contiguous range.
    init(_ cells: inout [BoxCell], cellsMax: Int) {
        self.cellsMax = cellsMax
        first = Array(repeating: .noBox, count: cells.count + 1)
        last = first
        cells.withUnsafeMutableBufferPointer { divide($0, from: 0) }
        invariant(parts.last?.upperBound == cells.count, "the parts together have all cells")
        invariant(parts.allSatisfy { $0.count <= cellsMax }, "each part fits into a node")
    }

    private mutating func divide(_ allCells: UnsafeMutableBufferPointer<BoxCell>, from start: Int) {
        guard allCells.count > cellsMax else { return parts.append(start..<start + allCells.count) }
        var cells = allCells
        cells.sort { $0.middle(0) < $1.middle(0) }
        let byLongitude = best(of: cells)
        cells.sort { $0.middle(1) < $1.middle(1) }
        let byLatitude = best(of: cells)
        if byLongitude.margins < byLatitude.margins { cells.sort { $0.middle(0) < $1.middle(0) } }
        invariant(cellsMax > 1, "a node has room for two cells")
        let cut = byLongitude.margins < byLatitude.margins ? byLongitude.cut : byLatitude.cut
        divide(UnsafeMutableBufferPointer(rebasing: cells[..<cut]), from: start)
        divide(UnsafeMutableBufferPointer(rebasing: cells[cut...]), from: start + cut)
    }

    /// Returns the best split of cells in their order, and the sum of the margins of all possible splits.
    private mutating func best(of cells: UnsafeMutableBufferPointer<BoxCell>) -> (cut: Int, margins: Double) {
        let count = cells.count
        (first[0], last[0]) = (.noBox, .noBox)
        for index in 0..<count {
            first[index + 1] = first[index].joined(cells[index].sides)
            last[index + 1] = last[index].joined(cells[count - 1 - index].sides)
        }
        let smallest = max(1, Int(Double(count) * Self.smallestHalf))
        var (margins, cut, least) = (0.0, smallest, (Double.infinity, Double.infinity))
        for index in smallest...(count - smallest) {
            let (left, right) = (first[index], last[count - index])
            margins += left.margin + right.margin
            let common = (left.overlap(right), left.area + right.area)
            if common < least { (cut, least) = (index, common) }
        }
        return (cut, margins)
    }
}
