//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CZlib

/// Compresses bytes in gzip's format (RFC 1952), piece by piece.
///
/// The receiver can decompress all bytes of a piece as soon as the piece arrives. No zlib state is kept between pieces,
/// because a state of 256 KB would be allocated for the duration of a slow response. Therefore, pieces do not refer to
/// earlier pieces, and small pieces are compressed poorly.
package struct GzipPacker {
    private var checksum = crc32(0, nil, 0)
    /// The number of uncompressed bytes, modulo 2³².
    private var uncompressedCount: UInt32 = 0
    private var hasBegun = false

    /// The compression level: fast, and effective enough for JSON.
    private static let level: Int32 = 4
    /// The header of ten bytes: the method deflate, no name, no time, and an unknown system.
    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    /// An empty block with the flag that marks the last block.
    private static let lastBlock: [UInt8] = [3, 0]

    /// Creates a packer for one stream.
    package init() {}

    /// Compresses a piece. The first result starts with the header of the stream; the result for an empty piece has no
    /// other bytes.
    package mutating func pack(_ bytes: [UInt8]) -> [UInt8] {
        var packed = hasBegun ? [] : GzipPacker.header
        hasBegun = true
        guard !bytes.isEmpty else { return packed }
        bytes.withUnsafeBufferPointer { checksum = crc32(checksum, $0.baseAddress, uInt($0.count)) }
        uncompressedCount &+= UInt32(truncatingIfNeeded: bytes.count)
        packed += GzipPacker.deflated(bytes)
        return packed
    }

    /// Returns the end of the stream, after the last piece: the last block, the checksum and the number of uncompressed
    /// bytes. If there was no piece, the result begins with the header.
    package mutating func end() -> [UInt8] {
        var endBytes = pack([]) + GzipPacker.lastBlock
        for number in [UInt32(truncatingIfNeeded: checksum), uncompressedCount] {
            withUnsafeBytes(of: number.littleEndian) { endBytes += $0 }
        }
        return endBytes
    }

    /// Returns blocks that end at a byte boundary and refer to no earlier bytes.
    private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        let code = czlib_deflate_raw(&stream, level)
        // The call fails only when memory is exhausted, as the allocation of an array does.
        precondition(code == Z_OK, "zlib cannot start: \(code)")
        defer { deflateEnd(&stream) }
        // The flush adds at most six bytes to the bound.
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
        // The copy has the exact size, because it is retained while it is sent.
        return Array(packed[...])
    }
}
