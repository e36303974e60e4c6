//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CZlib

/// Decompresses a stream of bytes in gzip's or zlib's format (RFC 1952, RFC 1950), piece by piece.
///
/// Used by one task at a time.
package final class GzipUnpacker {
    /// What went wrong: the bytes are no gzip, or end too early.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Bytes that are made at once at most.
    package static let pieceBytesMax = 16 << 10

    private var stream = z_stream()
    private var isAtEnd = false

    package init() {
        let code = czlib_inflate_any(&stream)
        // It fails for want of memory alone, as an array would.
        precondition(code == Z_OK, "zlib cannot start: \(code)")
    }

    deinit { inflateEnd(&stream) }

    /// Takes bytes and hands on what comes of them, in pieces of at most ``pieceBytesMax``.
    ///
    /// - Throws: ``Failure`` when the bytes are no gzip; what `take` throws.
    package func append(_ bytes: consuming [UInt8], _ take: ([UInt8]) async throws -> Void) async throws {
        var start = 0
        while true {
            let (piece, read) = try step(bytes, from: start)
            start += read
            if !piece.isEmpty { try await take(piece) }
            // A piece that is not full says that nothing waits within.
            guard piece.count == GzipUnpacker.pieceBytesMax || start < bytes.count, !isAtEnd else { break }
        }
        guard start == bytes.count else { throw Failure(description: "more bytes follow the compressed data") }
    }

    /// Ends the stream.
    ///
    /// - Throws: ``Failure`` when the compressed bytes end too early.
    package func finish() throws {
        guard isAtEnd else { throw Failure(description: "the compressed data ends too early") }
    }

    /// Decompresses bytes that are whole in memory.
    ///
    /// - Parameter bytesMax: The most that may come of them.
    /// - Throws: ``Failure`` when the bytes are no gzip, end too early, or are more.
    package static func unpacked(_ bytes: [UInt8], bytesMax: Int) throws -> [UInt8] {
        let unpacker = GzipUnpacker()
        var output: [UInt8] = []
        var start = 0
        while !unpacker.isAtEnd {
            let (piece, read) = try unpacker.step(bytes, from: start)
            guard !piece.isEmpty || read > 0 else { break }
            start += read
            output += piece
            guard output.count <= bytesMax else {
                throw Failure(description: "the uncompressed data has more than \(bytesMax) bytes")
            }
        }
        try unpacker.finish()
        return output
    }

    /// One call of zlib: what it made, and how many of the bytes it took.
    private func step(_ bytes: [UInt8], from start: Int) throws -> (piece: [UInt8], read: Int) {
        var code = Z_OK
        var read = 0
        let piece = [UInt8](unsafeUninitializedCapacity: GzipUnpacker.pieceBytesMax) { output, count in
            bytes.withUnsafeBufferPointer { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress.map { $0 + start })
                stream.avail_in = uInt(bytes.count - start)
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(output.count)
                code = inflate(&stream, Z_NO_FLUSH)
                read = bytes.count - start - Int(stream.avail_in)
                count = output.count - Int(stream.avail_out)
            }
        }
        isAtEnd = code == Z_STREAM_END
        guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(code) else {
            throw Failure(description: "the bytes are not compressed by gzip")
        }
        return (piece, read)
    }
}
