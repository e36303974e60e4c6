//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The identity of stored bytes: their SHA-256.
struct BlobID: Hashable, Sendable {
    let digest: [UInt8]

    static let byteCount = 32
}

/// A part of an object: stored bytes, which several objects may share.
package struct Piece: Hashable, Sendable {
    let blob: BlobID
    let byteCount: Int

    /// The number of bytes that describe a piece in the catalogue. They are the digest, followed by the length as a
    /// big-endian number.
    /// Creates a piece.
    ///
    /// - Parameter byteCount: The length. The catalogue may be damaged, so a length that no piece has is replaced by
    ///   the nearest possible one. The bytes of such a piece are then found to be damaged.
    init(blob: BlobID, byteCount: Int) {
        self.blob = blob
        self.byteCount = min(max(byteCount, 0), ObjectLimits.uploadBytesMax)
    }

    private static let storedBytes = BlobID.byteCount + 8

    /// Returns the bytes that describe pieces in the catalogue.
    static func encode(_ pieces: [Piece]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pieces.count * storedBytes)
        for piece in pieces {
            bytes += piece.blob.digest
            withUnsafeBytes(of: UInt64(clamping: piece.byteCount).bigEndian) { bytes += $0 }
        }
        return bytes
    }

    /// Reads the result of ``encode(_:)``.
    static func decode(_ bytes: [UInt8]) -> [Piece] {
        stride(from: 0, to: bytes.count - storedBytes + 1, by: storedBytes).map { start in
            let lengthStart = start + BlobID.byteCount
            let length = bytes[lengthStart..<start + storedBytes].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            return Piece(blob: BlobID(digest: Array(bytes[start..<lengthStart])), byteCount: Int(clamping: length))
        }
    }
}
