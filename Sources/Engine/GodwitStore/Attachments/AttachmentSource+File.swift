//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension AttachmentSource {
    /// The bytes of a file, read on the blocking pool in pieces of one chunk.
    init(file path: String) throws(StoreError) {
        let file = try OpenFile(reading: path, as: "the attachment's file")
        self.init { append in
            while true {
                let piece = try await BlockingPool.shared.run { try file.read(StoreLimits.attachmentChunkBytes) }
                guard !piece.isEmpty else { return }
                try await append(piece)
            }
        }
    }
}
