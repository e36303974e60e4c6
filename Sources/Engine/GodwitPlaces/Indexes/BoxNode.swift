//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite
import GodwitBase
import GodwitSQLite

/// A cell of a node of an R*Tree: an entry or a child node with its bounding box.
struct BoxCell {
    /// The number of the entry or of the child node.
    var number: Int64
    /// The minimum longitude and latitude, rounded down, and the maximum longitude and latitude, rounded up.
    var sides: SIMD4<Float>
    /// Whether the cell is new: the tree's tables do not yet contain the number of its node.
    var isNew: Bool

    init(number: Int64, sides: SIMD4<Float>, isNew: Bool) {
        (self.number, self.sides, self.isNew) = (number, sides, isNew)
    }

    /// Creates a new entry.
    init(entry number: Int64, _ box: BoundingBox) {
        let low = SIMD2(box.west, box.south)
        let high = SIMD2(box.east, box.north)
        var (down, up) = (SIMD2<Float>(low), SIMD2<Float>(high))
        for side in 0..<2 {
            if Double(down[side]) > low[side] { down[side] = down[side].nextDown }
            if Double(up[side]) < high[side] { up[side] = up[side].nextUp }
        }
        self.init(number: number, sides: SIMD4(lowHalf: down, highHalf: up), isNew: true)
    }

    /// Returns the middle of the box along an axis, multiplied by 2.
    func middle(_ side: Int) -> Float { sides[side] + sides[side + 2] }
}

extension SIMD4<Float> {
    /// A box that contains no point.
    static let noBox = SIMD4(.infinity, .infinity, -.infinity, -.infinity)

    /// Returns the bounding box of two boxes.
    @inline(__always)
    func joined(_ other: SIMD4<Float>) -> SIMD4<Float> {
        SIMD4(
            lowHalf: pointwiseMin(lowHalf, other.lowHalf), highHalf: pointwiseMax(highHalf, other.highHalf))
    }

    /// The width and the height of the box.
    @inline(__always)
    private var extent: SIMD2<Double> { SIMD2<Double>(highHalf) - SIMD2<Double>(lowHalf) }

    /// The area of the box.
    @inline(__always)
    var area: Double { extent.x * extent.y }

    /// Half of the perimeter of the box.
    @inline(__always)
    var margin: Double { extent.x + extent.y }

    /// Returns the area of the intersection of two boxes.
    @inline(__always)
    func overlap(_ other: SIMD4<Float>) -> Double {
        let common = SIMD4(
            lowHalf: pointwiseMax(lowHalf, other.lowHalf), highHalf: pointwiseMin(highHalf, other.highHalf))
        return all(common.lowHalf .<= common.highHalf) ? common.area : 0
    }
}

/// A node of an R*Tree in SQLite's format. The first two bytes of the root are the number of levels below the root. In
/// any other node, these bytes are 0. The next two bytes are the number of cells. The cells follow. A cell has 24
/// bytes: the number, then west, east, south and north. All values are big-endian.
struct BoxNode {
    static let root: Int64 = 1
    /// If a root contains this number of levels or more, it is treated as damaged. SQLite reads trees of up to 40
    /// levels.
    private static let levelsMax = 40
    private static let headerBytes = 4
    private static let cellBytes = 24

    /// For the root, the number of levels below it; for all other nodes, 0.
    var levels = 0
    var cells: [BoxCell]

    /// Returns the number of cells that fit into a node of the given size.
    static func cellsMax(bytes: Int) -> Int { (bytes - headerBytes) / cellBytes }

    /// Throws an error if nodes of the given size cannot form a tree: a node needs room for two cells, and two bytes
    /// contain the number of its cells.
    static func check(bytes: Int) throws(SQLiteError) {
        guard (2...Int(UInt16.max)).contains(cellsMax(bytes: bytes)) else { throw damaged }
    }

    init(levels: Int = 0, cells: [BoxCell]) { (self.levels, self.cells) = (levels, cells) }

    init(_ bytes: UnsafeRawBufferPointer) throws(SQLiteError) {
        guard bytes.count >= Self.headerBytes else { throw Self.damaged }
        levels = Int(bytes.bigEndian(0, UInt16.self))
        let count = Int(bytes.bigEndian(2, UInt16.self))
        guard levels < Self.levelsMax, count <= Self.cellsMax(bytes: bytes.count) else { throw Self.damaged }
        cells = (0..<count).map { index in
            let cellOffset = Self.headerBytes + index * Self.cellBytes
            func side(_ offset: Int) -> Float { Float(bitPattern: bytes.bigEndian(cellOffset + offset, UInt32.self)) }
            return BoxCell(
                number: Int64(bitPattern: bytes.bigEndian(cellOffset, UInt64.self)),
                sides: SIMD4(side(8), side(16), side(12), side(20)), isNew: false)
        }
    }

    /// Returns the bytes of a node. `count` is the size of the node in bytes.
    static func bytes(of cells: some RandomAccessCollection<BoxCell>, levels: Int, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        write(cells, levels: levels, to: &bytes)
        return bytes
    }

    /// Writes cells to the bytes of a node, and fills the rest with zeros. The cells must fit into the node.
    static func write(_ cells: some RandomAccessCollection<BoxCell>, levels: Int, to bytes: inout [UInt8]) {
        invariant(cells.count <= cellsMax(bytes: bytes.count), "cells fit into their node")
        bytes.withUnsafeMutableBytes { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            bytes.setBigEndian(0, UInt16(clamping: levels))
            bytes.setBigEndian(2, UInt16(clamping: cells.count))
            var cellOffset = headerBytes
            for cell in cells {
                bytes.setBigEndian(cellOffset, UInt64(bitPattern: cell.number))
                for (offset, side) in [(8, 0), (12, 2), (16, 1), (20, 3)] {
                    bytes.setBigEndian(cellOffset + offset, cell.sides[side].bitPattern)
                }
                cellOffset += cellBytes
            }
        }
    }

    static let damaged = SQLiteError(code: SQLITE_CORRUPT, message: "a node of the R*Tree is damaged")
}

extension UnsafeRawBufferPointer {
    fileprivate func bigEndian<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _: Number.Type) -> Number {
        Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func setBigEndian<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ number: Number) {
        storeBytes(of: number.bigEndian, toByteOffset: offset, as: Number.self)
    }
}
