//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSelector

// A row of a view is identified by its entry, which is a sequence of bytes. The bytes of entries sort as CouchDB sorts
// rows.
//
// | length | content |
// |---|---|
// | 2 bytes | the view's number |
// | variable | in a partitioned view, the key of the partition's name |
// | variable | the collation key of the emitted key |
// | variable | the document's id |
// | 4 bytes | the ordinal of the row among the document's rows of the view, because two rows may have equal keys |
//
// No collation key is a prefix of another, so rows with equal keys are contiguous and ordered by ids.

/// The identifier of a row in a view.
struct ViewEntry: Hashable, Sendable {
    let bytes: [UInt8]
    /// The offset of the id.
    let idStart: Int

    private static let ordinalBytes = 4

    init(bytes: [UInt8], idStart: Int) {
        self.bytes = bytes
        self.idStart = idStart
    }

    /// Creates an entry from the bytes of a row; `nil` when the id does not lie within them.
    init?(storedBytes bytes: [UInt8], idStart: Int) {
        guard idStart >= 0, idStart <= bytes.count - Self.ordinalBytes else { return nil }
        self.init(bytes: bytes, idStart: idStart)
    }

    /// Bytes that sort after every entry.
    static let end: [UInt8] = [0xFF, 0xFF, 0xFF]

    /// Returns the bytes that sort after all rows of a view.
    static func end(ofView entry: [UInt8]) -> [UInt8] { CollationKey.end(ofPrefix: Array(entry.prefix(2))) }

    /// Returns the prefix of all rows of a view: its number in two bytes.
    ///
    /// - Parameter view: The view's number, less than ``ViewGroup/viewsMax``.
    static func prefix(view: Int) -> [UInt8] {
        invariant((0..<ViewGroup.viewsMax).contains(view), "the number of a view fits into its two bytes")
        return [UInt8(truncatingIfNeeded: view >> 8), UInt8(truncatingIfNeeded: view)]
    }

    /// Returns the prefix of all rows of a partition.
    static func prefix(view: Int, partition: String) -> [UInt8] {
        var bytes = prefix(view: view)
        CollationKey.append(id: partition, to: &bytes)
        return bytes
    }

    /// The document's id.
    var id: String { String(decoding: bytes[idStart..<bytes.count - Self.ordinalBytes], as: UTF8.self) }

    init(prefix: [UInt8], key: [UInt8], id: String, ordinal: Int) {
        var bytes = prefix
        bytes.reserveCapacity(prefix.count + key.count + id.utf8.count + Self.ordinalBytes)
        bytes += key
        idStart = bytes.count
        bytes += id.utf8
        withUnsafeBytes(of: UInt32(clamping: ordinal).bigEndian) { bytes.append(contentsOf: $0) }
        self.bytes = bytes
    }

    /// The highest level of the spans that start at this row; 0 if none starts here. A span is a range of rows whose
    /// count and reduction are stored. Rows with higher levels are rarer. The level depends only on a hash of the
    /// entry's bytes (FNV-1a). Therefore, two indexes with the same rows have the same spans, even if their rows were
    /// changed in different orders.
    var level: Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        // In FNV-1a, the first bytes have too little effect on the lowest bits of the hash. These steps mix all bits.
        hash = (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 29
        var level = 0
        var bits = SpanLevels.firstBits
        while level < SpanLevels.count, hash & (1 << bits - 1) == 0 {
            level += 1
            hash >>= bits
            bits = SpanLevels.nextBits
        }
        return level
    }
}

/// The shape of the tree of spans.
enum SpanLevels {
    /// On average, one of 2^6 rows starts a span of the first level, and one of 2^4 spans starts a span of the next
    /// level.
    static let firstBits: UInt64 = 6
    static let nextBits: UInt64 = 4
    /// The number of levels. It is sufficient for a hundred million rows.
    static let count = 5
    /// The average number of rows in a span of the first level.
    static let rowsPerPieceUsual = 64
}
