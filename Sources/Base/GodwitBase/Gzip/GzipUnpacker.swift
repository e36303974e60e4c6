//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CZlib

/// Decompresses a stream of bytes in gzip's or zlib's format (RFC 1952, RFC 1950), piece by piece.
///
/// Only one task at a time may use an unpacker.
package final class GzipUnpacker {
    /// An error: the bytes are not valid gzip or zlib data, end too early, or exceed a limit.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The maximum size of a decompressed piece in bytes.
    package static let pieceBytesMax = 16 << 10

    private var stream = z_stream()
    private var isAtEnd = false

    /// Creates an unpacker for one stream. The format, gzip or zlib, is recognized by its header.
    package init() {
        let code = czlib_inflate_any(&stream)
        // The call fails only when memory is exhausted, as the allocation of an array does.
        precondition(code == Z_OK, "zlib cannot start: \(code)")
    }

    deinit { inflateEnd(&stream) }

    /// Decompresses bytes and passes the result to a closure, in pieces of at most ``pieceBytesMax``.
    ///
    /// - Parameter receivePiece: The closure that receives each piece. It is not called for an empty piece.
    /// - Throws: ``Failure`` when the bytes are invalid, or when any bytes follow the end of the compressed stream. A
    ///   second gzip stream is not permitted either. Rethrows errors of `receivePiece`.
    package func append(_ bytes: consuming [UInt8], _ receivePiece: ([UInt8]) async throws -> Void) async throws {
        var byteOffset = 0
        while true {
            let (piece, consumedCount) = try runInflate(bytes, from: byteOffset)
            byteOffset += consumedCount
            if !piece.isEmpty { try await receivePiece(piece) }
            // If a piece is not full, no output is pending in zlib.
            guard piece.count == GzipUnpacker.pieceBytesMax || byteOffset < bytes.count, !isAtEnd else { break }
        }
        guard byteOffset == bytes.count else { throw Failure(description: "more bytes follow the compressed data") }
    }

    /// Checks that the stream is complete.
    ///
    /// - Throws: ``Failure`` when the compressed bytes end too early.
    package func finish() throws {
        guard isAtEnd else { throw Failure(description: "the compressed data ends too early") }
    }

    /// Decompresses bytes in memory. Bytes after the end of the compressed stream, including a second gzip stream, are
    /// ignored.
    ///
    /// - Parameters:
    ///   - bytes: The compressed bytes.
    ///   - bytesMax: The maximum number of decompressed bytes.
    /// - Throws: ``Failure`` when the bytes are invalid, end too early, or exceed `bytesMax`.
    package static func unpacked(_ bytes: [UInt8], bytesMax: Int) throws -> [UInt8] {
        let unpacker = GzipUnpacker()
        var output: [UInt8] = []
        var byteOffset = 0
        while !unpacker.isAtEnd {
            let (piece, consumedCount) = try unpacker.runInflate(bytes, from: byteOffset)
            guard !piece.isEmpty || consumedCount > 0 else { break }
            byteOffset += consumedCount
            output += piece
            guard output.count <= bytesMax else {
                throw Failure(description: "the uncompressed data has more than \(bytesMax) bytes")
            }
        }
        try unpacker.finish()
        return output
    }

    /// Calls zlib once. Returns the decompressed bytes and the number of consumed bytes.
    ///
    /// - Throws: ``Failure`` when the bytes are invalid.
    private func runInflate(_ bytes: [UInt8], from byteOffset: Int) throws -> (piece: [UInt8], consumedCount: Int) {
        var code = Z_OK
        var consumedCount = 0
        let piece = [UInt8](unsafeUninitializedCapacity: GzipUnpacker.pieceBytesMax) { output, count in
            bytes.withUnsafeBufferPointer { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress.map { $0 + byteOffset })
                stream.avail_in = uInt(bytes.count - byteOffset)
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(output.count)
                code = inflate(&stream, Z_NO_FLUSH)
                consumedCount = bytes.count - byteOffset - Int(stream.avail_in)
                count = output.count - Int(stream.avail_out)
            }
        }
        isAtEnd = code == Z_STREAM_END
        guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(code) else {
            throw Failure(description: "the bytes are not compressed by gzip")
        }
        return (piece, consumedCount)
    }
}
