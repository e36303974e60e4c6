//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitGzip

extension TransportResponse {
    /// How long the peer asks to wait, in seconds. A date, the header's other form, is left to the usual wait.
    package var retryAfterSeconds: Double? {
        self["Retry-After"].flatMap(Double.init).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }

    /// The whole body.
    ///
    /// - Parameters:
    ///   - bytesMax: The most that is taken, in bytes, unpacked.
    ///   - isPacked: Whether it is packed by gzip.
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/tooLarge`` when it is above a limit,
    ///   ``ReplicationError/Code/badResponse`` when it cannot be unpacked, ``ReplicationError/Code/network`` when the
    ///   connection is cut.
    public func collect(bytesMax: Int, isPacked: Bool = false) async throws(ReplicationError) -> [UInt8] {
        var bytes: [UInt8] = []
        let take = { (piece: [UInt8]) throws(ReplicationError) in
            guard bytes.count + piece.count <= bytesMax else {
                throw ReplicationError(.tooLarge, "the peer's answer is above \(bytesMax) bytes")
            }
            bytes += piece
        }
        do {
            let unpacking = isPacked ? GzipUnpacker() : nil
            for try await piece in body {
                if let unpacking { try await unpacking.append(piece, take) } else { try take(piece) }
            }
            try unpacking?.finish()
        } catch let error as GzipUnpacker.Failure {
            throw ReplicationError(.badResponse, "the peer's answer: \(error)")
        } catch {
            throw ReplicationError(reading: error, "the peer's answer")
        }
        return bytes
    }
}
