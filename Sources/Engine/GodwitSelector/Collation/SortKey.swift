//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Writes the sort key of a text, with the bytes that ICU writes: the primary weights, the secondary and the tertiary
/// weights, with a byte 1 between the levels, and a byte 0 at the end.
struct SortKey {
    private let table: CollationTable
    private var primary: Bytes
    private var secondary: Level
    private var tertiary: Level
    /// The last primary weight, if its first byte is compressed.
    private var compressed: UInt32 = 0

    private init(_ table: CollationTable, _ buffer: UnsafeMutableBufferPointer<UInt8>) {
        func part(_ number: Int) -> Bytes {
            Bytes(.init(rebasing: buffer[number * Bytes.bufferSize..<(number + 1) * Bytes.bufferSize]))
        }
        self.table = table
        primary = part(0)
        secondary = Level(part(1), Run(countMax: 0x21, low: 0x05, high: 0x45))
        tertiary = Level(part(2), Run(countMax: 0x61, low: 0x05, high: 0xC5))
    }

    /// Appends the key of a text.
    static func append(_ text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3 * Bytes.bufferSize) { buffer in
            var (sortKey, elements) = (SortKey(.root, buffer), CollationElements(text, .root))
            while let element = elements.next() { sortKey.append(element) }
            sortKey.primary.end(with: 1, in: &key)
            sortKey.secondary.end(with: 1, in: &key)
            sortKey.tertiary.end(with: 0, in: &key)
        }
    }

    @inline(__always)
    private mutating func append(_ element: CollationElement) {
        if element.primary != 0 { appendPrimary(element.primary) }
        if element.isCommon {
            secondary.common.count += 1
            tertiary.common.count += 1
        } else {
            secondary.append(element.secondary, movedBy: 0)
            // The long runs of the third level use the bytes up to C5, so higher weights begin behind them.
            tertiary.append(element.tertiary, movedBy: 0xC000)
        }
    }

    /// Between two characters that share a compressed first byte, the byte is omitted. After them, a byte says whether
    /// the next first byte is lower or higher.
    @inline(__always)
    private mutating func appendPrimary(_ weight: UInt32) {
        let first = UInt8(truncatingIfNeeded: weight >> 24)
        let isCompressed = table.isCompressed(first)
        if !isCompressed || first != UInt8(truncatingIfNeeded: compressed >> 24) {
            if compressed != 0 {
                if weight > compressed {
                    primary.write(0xFF)
                } else if first > Self.separator {
                    primary.write(0x03)
                }
            }
            primary.write(first)
        }
        compressed = isCompressed ? weight : 0
        var rest = weight << 8
        while rest != 0 {
            primary.write(UInt8(truncatingIfNeeded: rest >> 24))
            rest <<= 8
        }
    }

    /// The first byte of U+FFFE, which is less than all others.
    private static let separator: UInt8 = 0x02

    /// The bytes of a level. Those of most texts have room in the buffer.
    private struct Bytes {
        static let bufferSize = 256

        private var earlier: [UInt8] = []
        private let buffer: UnsafeMutableBufferPointer<UInt8>
        private var count = 0

        init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

        @inline(__always)
        mutating func write(_ byte: UInt8) {
            if count == Self.bufferSize {
                earlier += buffer
                count = 0
            }
            buffer[count] = byte
            count += 1
        }

        /// Appends the bytes and a separator to a key.
        func end(with separator: UInt8, in key: inout [UInt8]) {
            key += earlier
            key += buffer[..<count]
            key.append(separator)
        }
    }

    /// A level after the first, in which most weights are common.
    private struct Level {
        private var bytes: Bytes
        var common: Run

        init(_ bytes: Bytes, _ common: Run) { (self.bytes, self.common) = (bytes, common) }

        mutating func append(_ weight: UInt16, movedBy distance: UInt16) {
            guard weight != 0 else { return }
            guard weight != CollationElement.commonWeight else {
                common.count += 1
                return
            }
            let isLower = weight < CollationElement.commonWeight
            endRun(isLower: isLower)
            let moved = isLower ? weight : weight + distance
            bytes.write(UInt8(truncatingIfNeeded: moved >> 8))
            if moved & 0xFF != 0 { bytes.write(UInt8(truncatingIfNeeded: moved)) }
        }

        private mutating func endRun(isLower: Bool) {
            while let byte = common.next(isLower: isLower) { bytes.write(byte) }
        }

        /// Appends the level and a separator to a key.
        mutating func end(with separator: UInt8, in key: inout [UInt8]) {
            endRun(isLower: true)
            bytes.end(with: separator, in: &key)
        }
    }

    /// A run of common weights. In a key it is one byte, which says how long the run is, and whether the weight after it
    /// is lower or higher; a longer run has more bytes.
    private struct Run {
        let countMax: Int
        let low: UInt8
        let high: UInt8
        var count = 0

        /// Returns the next byte of the run; `nil` at its end.
        mutating func next(isLower: Bool) -> UInt8? {
            guard count > 0 else { return nil }
            if count > countMax {
                count -= countMax
                return low + UInt8(countMax) - 1
            }
            defer { count = 0 }
            return isLower ? low + UInt8(count - 1) : high - UInt8(count - 1)
        }
    }
}
