//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

extension TransportResponse {
    /// The seconds to wait from `Retry-After`, or `nil` if the header is absent or contains a date.
    package var retryAfterSeconds: Double? {
        self["Retry-After"].flatMap(Double.init).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }

    /// Reads the complete body.
    ///
    /// - Parameters:
    ///   - bytesMax: The maximum length of the decompressed body, in bytes.
    ///   - isPacked: Whether the body is compressed with gzip.
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/tooLarge`` if the body exceeds `bytesMax`,
    ///   ``ReplicationError/Code/badResponse`` if it cannot be decompressed, ``ReplicationError/Code/network`` if the
    ///   connection is lost.
    public func collect(bytesMax: Int, isPacked: Bool = false) async throws(ReplicationError) -> [UInt8] {
        var bytes: [UInt8] = []
        let appendPiece = { (piece: [UInt8]) throws(ReplicationError) in
            guard bytes.count + piece.count <= bytesMax else {
                throw ReplicationError(.tooLarge, "the peer's response is larger than \(bytesMax) bytes")
            }
            bytes += piece
        }
        do {
            let unpacker = isPacked ? GzipUnpacker() : nil
            for try await piece in body {
                if let unpacker { try await unpacker.append(piece, appendPiece) } else { try appendPiece(piece) }
            }
            try unpacker?.finish()
        } catch let error as GzipUnpacker.Failure {
            throw ReplicationError(.badResponse, "the peer's response: \(error)")
        } catch {
            throw ReplicationError(reading: error, "the peer's response")
        }
        return bytes
    }
}
