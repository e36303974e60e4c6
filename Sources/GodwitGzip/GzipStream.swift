//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CZlib

/// Compresses or decompresses a stream of bytes in gzip's format (RFC 1952), piece by piece.
///
/// Used by one task at a time.
package final class GzipStream {
    /// What the stream does.
    package enum Direction: Sendable {
        case compress
        case decompress
    }

    /// What went wrong: the bytes are no gzip, or end too early.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Bytes that are made at once at most.
    package static let pieceBytesMax = 16 << 10

    private let direction: Direction
    private var stream = z_stream()
    private var isAtEnd = false

    /// The level of compression: fast, and small enough for JSON.
    private static let level: Int32 = 4

    package init(_ direction: Direction) {
        self.direction = direction
        let code =
            switch direction {
            case .compress: czlib_deflate_gzip(&stream, GzipStream.level)
            case .decompress: czlib_inflate_any(&stream)
            }
        // It fails for want of memory alone, as an array would.
        precondition(code == Z_OK, "zlib cannot begin: \(code)")
    }

    deinit {
        switch direction {
        case .compress: deflateEnd(&stream)
        case .decompress: inflateEnd(&stream)
        }
    }

    /// Takes bytes and hands on what comes of them, in pieces of at most ``pieceBytesMax``.
    ///
    /// - Throws: ``Failure`` when the bytes are no gzip; what `take` throws.
    package func append(_ bytes: consuming [UInt8], _ take: ([UInt8]) async throws -> Void) async throws {
        try await run(bytes, Z_NO_FLUSH, take)
    }

    /// Hands on all that came of the bytes until now, so that the other side can read it.
    package func flush(_ take: ([UInt8]) async throws -> Void) async throws { try await run([], Z_SYNC_FLUSH, take) }

    /// Ends the stream.
    ///
    /// - Throws: ``Failure`` when compressed bytes end too early.
    package func finish(_ take: ([UInt8]) async throws -> Void) async throws {
        switch direction {
        case .compress: try await run([], Z_FINISH, take)
        case .decompress: guard isAtEnd else { throw Failure(description: "the compressed bytes end too early") }
        }
    }

    private func run(
        _ bytes: consuming [UInt8], _ flush: Int32, _ take: ([UInt8]) async throws -> Void
    ) async throws {
        var start = 0
        while true {
            let (piece, read) = try step(bytes, from: start, flush)
            start += read
            if !piece.isEmpty { try await take(piece) }
            // A piece that is not full says that nothing waits within.
            guard piece.count == GzipStream.pieceBytesMax || start < bytes.count, !isAtEnd else { break }
        }
        guard direction == .compress || start == bytes.count else {
            throw Failure(description: "there is more behind the compressed bytes")
        }
    }

    /// One call of zlib: what it made, and how many of the bytes it took.
    private func step(_ bytes: [UInt8], from start: Int, _ flush: Int32) throws -> (piece: [UInt8], read: Int) {
        var code = Z_OK
        var read = 0
        let piece = [UInt8](unsafeUninitializedCapacity: GzipStream.pieceBytesMax) { output, count in
            bytes.withUnsafeBufferPointer { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress.map { $0 + start })
                stream.avail_in = uInt(bytes.count - start)
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(output.count)
                code = direction == .compress ? deflate(&stream, flush) : inflate(&stream, flush)
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
