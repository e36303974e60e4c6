//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore
import GodwitServer
import HTTPTypes
import NIOCore

extension ServerRequest {
    /// Receives the body as the bytes of an object or of a part.
    ///
    /// - Parameter handle: A closure that is called with each piece before the piece is stored.
    /// - Returns: The flushed bytes.
    func receiveObject(
        of account: Int, in directory: ObjectDirectory, _ handle: ([UInt8]) throws -> Void = { _ in }
    ) async throws -> FinishedUpload {
        let upload = try await directory.beginUpload(of: account)
        try await readBody(bytesMax: ObjectLimits.uploadBytesMax) { buffer in
            let bytes = [UInt8](buffer.readableBytesView)
            try handle(bytes)
            try await upload.append(bytes)
        }
        return try await directory.run { _ in try upload.finish() }
    }

    /// Whether the request declares the length of its body, or sends the body in chunks.
    var hasLength: Bool { contentLength != nil || header(.transferEncoding) != nil }
}
