//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CZlib

/// Compresses bytes in gzip's format (RFC 1952), piece by piece.
///
/// What has been put in can be read on the other side after each piece, and nothing of zlib is held between them: a
/// stream of it takes 256 KB, which a slow reader would hold for as long as it reads. The price is that a piece does not
/// refer to earlier ones, so small ones are packed badly.
package struct GzipPacker {
    private var checksum = crc32(0, nil, 0)
    private var count: UInt32 = 0
    private var hasBegun = false

    /// The level of compression: fast, and small enough for JSON.
    private static let level: Int32 = 4
    /// Ten bytes: gzip, deflated, without a name or a time, of an unknown system.
    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    /// An empty block that says that it is the last.
    private static let lastBlock: [UInt8] = [3, 0]

    package init() {}

    /// Compresses a piece.
    package mutating func pack(_ bytes: [UInt8]) -> [UInt8] {
        var packed = hasBegun ? [] : GzipPacker.header
        hasBegun = true
        guard !bytes.isEmpty else { return packed }
        bytes.withUnsafeBufferPointer { checksum = crc32(checksum, $0.baseAddress, uInt($0.count)) }
        count &+= UInt32(truncatingIfNeeded: bytes.count)
        packed += GzipPacker.deflated(bytes)
        return packed
    }

    /// The end of the whole, after the last piece.
    package mutating func end() -> [UInt8] {
        var end = pack([]) + GzipPacker.lastBlock
        for number in [UInt32(truncatingIfNeeded: checksum), count] {
            withUnsafeBytes(of: number.littleEndian) { end += $0 }
        }
        return end
    }

    /// Blocks that end at a whole byte and refer to nothing before them.
    private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        let code = czlib_deflate_raw(&stream, level)
        // It fails for want of memory alone, as an array would.
        precondition(code == Z_OK, "zlib cannot start: \(code)")
        defer { deflateEnd(&stream) }
        // The flush adds at most six bytes to the bound of a whole.
        let bound = Int(deflateBound(&stream, uLong(bytes.count))) + 6
        let packed = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            bytes.withUnsafeBufferPointer { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = uInt(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(output.count)
                let code = deflate(&stream, Z_SYNC_FLUSH)
                precondition(code == Z_OK && stream.avail_in == 0 && stream.avail_out > 0, "zlib failed: \(code)")
                count = output.count - Int(stream.avail_out)
            }
        }
        // What is kept while it is sent has its own size, not the bound's.
        return Array(packed[...])
    }
}
