//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CZip

/// Decompresses a file of gzip, piece by piece.
final class GzipReader {
    /// The bytes are not gzip, or end too early.
    struct Failure: Error {
        let description: String
    }

    private static let pieceBytesMax = 64 << 10
    /// The largest window, with the header of gzip.
    private static let windowBits: Int32 = 15 + 16

    private var stream = z_stream()
    private var isAtEnd = false

    init() {
        let code = inflateInit2_(&stream, GzipReader.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        // The call fails only when memory is exhausted.
        precondition(code == Z_OK, "zlib cannot start: \(code)")
    }

    deinit { inflateEnd(&stream) }

    /// Decompresses bytes and passes each piece of the result to a closure.
    ///
    /// - Throws: ``Failure`` if the bytes are not gzip, or if bytes follow the end of the compressed data, such as a
    ///   second file; errors of `receive`.
    func append(_ bytes: [UInt8], _ receive: ([UInt8]) async throws -> Void) async throws {
        var offset = 0
        var isFull = false
        while !isAtEnd, offset < bytes.count || isFull {
            let (piece, count) = try step(bytes, from: offset)
            offset += count
            isFull = piece.count == GzipReader.pieceBytesMax
            if !piece.isEmpty { try await receive(piece) }
        }
        guard offset == bytes.count else { throw Failure(description: "more bytes follow the compressed data") }
    }

    /// Checks that the file is complete.
    func finish() throws(Failure) {
        guard isAtEnd else { throw Failure(description: "the compressed data ends too early") }
    }

    private func step(_ bytes: [UInt8], from offset: Int) throws(Failure) -> (piece: [UInt8], count: Int) {
        var (code, count) = (Z_OK, 0)
        let piece = [UInt8](unsafeUninitializedCapacity: GzipReader.pieceBytesMax) { output, filled in
            bytes.withUnsafeBufferPointer { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress.map { $0 + offset })
                stream.avail_in = uInt(bytes.count - offset)
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(output.count)
                code = inflate(&stream, Z_NO_FLUSH)
                count = bytes.count - offset - Int(stream.avail_in)
                filled = output.count - Int(stream.avail_out)
            }
        }
        isAtEnd = code == Z_STREAM_END
        guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(code) else {
            throw Failure(description: "the bytes are not compressed by gzip")
        }
        return (piece, count)
    }
}
