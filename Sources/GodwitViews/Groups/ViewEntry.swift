//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector

// A row of a view is known by its entry: bytes that sort as CouchDB sorts rows.
//
//     2 bytes   the view's number
//     …         in a view by partitions, the key of the partition's name
//     …         the collation key of what was emitted
//     …         the document's id
//     4 bytes   which of the document's rows it is, since two may have one key
//
// No collation key is the beginning of another, so that rows of one key stand together in the order of their ids.

/// What a document's row in a view is known by.
struct ViewEntry: Hashable, Sendable {
    let bytes: [UInt8]
    /// Where the id begins.
    let idStart: Int

    private static let ordinalBytes = 4

    init(bytes: [UInt8], idStart: Int) {
        self.bytes = bytes
        self.idStart = idStart
    }

    /// Sorts behind every entry.
    static let end: [UInt8] = [0xFF, 0xFF, 0xFF]

    /// Sorts behind all rows of a view.
    static func end(ofView entry: [UInt8]) -> [UInt8] { CollationKey.end(ofPrefix: Array(entry.prefix(2))) }

    /// What all rows of a view begin with.
    static func prefix(view: Int) -> [UInt8] { [UInt8(view >> 8), UInt8(view & 0xFF)] }

    /// What all rows of a partition begin with.
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
        withUnsafeBytes(of: UInt32(ordinal).bigEndian) { bytes.append(contentsOf: $0) }
        self.bytes = bytes
    }

    /// How many levels of spans begin at this row: the more, the rarer. It depends on the bytes alone, so that an index has the
    /// same spans however it came about.
    var level: Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        // The lowest bits of that sum know too little of the first bytes.
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
    /// One row in 2^6 begins a span of the first level, one span in 2^4 one of the next.
    static let firstBits: UInt64 = 6
    static let nextBits: UInt64 = 4
    /// Enough for a hundred million rows.
    static let count = 5
    /// Rows that a span of the first level has, mostly.
    static let rowsPerPieceUsual = 64
}
