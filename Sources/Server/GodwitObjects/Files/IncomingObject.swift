//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitObjectStore
import GodwitStore

/// Receives the bytes of an object, or of a part of an object. Only one task at a time may use it.
package final class IncomingObject: Sendable {
    private let writer: BlobWriter
    private let account: Int
    private let directory: ObjectDirectory
    private let lastCheck = Mutex(0)

    /// The number of received bytes after which the account's quota is checked again.
    private static let checkedBytes = 4 << 20

    init(_ writer: BlobWriter, of account: Int, in directory: ObjectDirectory) {
        self.writer = writer
        self.account = account
        self.directory = directory
    }

    deinit { directory.count(-writer.byteCount, of: account) }

    /// The number of received bytes.
    package var byteCount: Int { writer.byteCount }

    /// Appends bytes.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/diskFull``, ``ObjectError/Code/quotaExceeded`` or
    ///   ``ObjectError/Code/tooLarge``.
    package func append(_ bytes: [UInt8]) async throws(ObjectError) {
        guard writer.byteCount + bytes.count <= ObjectLimits.uploadBytesMax else {
            throw ObjectError(
                .tooLarge, "An upload has at most \(ObjectLimits.uploadBytesMax) bytes. Upload larger objects in parts."
            )
        }
        directory.count(bytes.count, of: account)
        try await writer.append(bytes)
        let isDue = lastCheck.withLock { last in
            guard writer.byteCount - last >= IncomingObject.checkedBytes else { return false }
            last = writer.byteCount
            return true
        }
        if isDue { try await directory.run { [account] in try $0.checkIncoming(of: account) } }
    }

    /// Ends the upload and flushes its bytes. Blocks the thread for disk access.
    package func finish() throws -> FinishedUpload {
        let result = try writer.finish()
        return FinishedUpload(writer: writer, piece: result.piece, md5: result.md5)
    }
}

/// Received bytes in a flushed temporary file. If the bytes are not stored as an object, the file is removed.
package struct FinishedUpload: Sendable {
    let writer: BlobWriter
    /// The stored bytes; empty if no bytes were received.
    let pieces: [Piece]
    /// The MD5 in hexadecimal digits.
    package let md5: String
    /// The SHA-256 in hexadecimal digits.
    package let sha256: String
    /// The number of bytes.
    package let byteCount: Int

    var form: BlobForm { writer.form }

    init(writer: BlobWriter, piece: Piece, md5: String) {
        self.writer = writer
        pieces = piece.byteCount == 0 ? [] : [piece]
        self.md5 = md5
        sha256 = piece.blob.digest.hexadecimal
        byteCount = piece.byteCount
    }
}
