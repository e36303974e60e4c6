//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CZlib

/// Decompresses a stream of bytes in gzip's or zlib's format (RFC 1952, RFC 1950), piece by piece.
///
/// Only one task at a time may use it.
package final class GzipUnpacker {
    /// An error: the bytes are not valid gzip or zlib data, end too early, or exceed a limit.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The maximum size of a decompressed piece in bytes.
    package static let pieceBytesMax = 16 << 10

    private var stream = z_stream()
    private var isAtEnd = false

    package init() {
        let code = czlib_inflate_any(&stream)
        // It fails only when memory is exhausted, like an allocation of an array.
        precondition(code == Z_OK, "zlib cannot start: \(code)")
    }

    deinit { inflateEnd(&stream) }

    /// Decompresses bytes and passes the result to a closure, in pieces of at most ``pieceBytesMax``.
    ///
    /// - Throws: ``Failure`` when the bytes are invalid or continue after the end of the compressed stream; the error
    ///   of `take`.
    package func append(_ bytes: consuming [UInt8], _ take: ([UInt8]) async throws -> Void) async throws {
        var start = 0
        while true {
            let (piece, read) = try step(bytes, from: start)
            start += read
            if !piece.isEmpty { try await take(piece) }
            // If a piece is not full, no output is pending in zlib.
            guard piece.count == GzipUnpacker.pieceBytesMax || start < bytes.count, !isAtEnd else { break }
        }
        guard start == bytes.count else { throw Failure(description: "more bytes follow the compressed data") }
    }

    /// Checks that the stream is complete.
    ///
    /// - Throws: ``Failure`` when the compressed bytes end too early.
    package func finish() throws {
        guard isAtEnd else { throw Failure(description: "the compressed data ends too early") }
    }

    /// Decompresses bytes in memory. Bytes after the end of the compressed stream are ignored.
    ///
    /// - Parameters:
    ///   - bytes: The compressed bytes.
    ///   - bytesMax: The maximum number of decompressed bytes.
    /// - Throws: ``Failure`` when the bytes are invalid, end too early, or exceed `bytesMax`.
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

    /// Calls zlib once; returns the decompressed bytes and the number of consumed bytes.
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
