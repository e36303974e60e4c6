//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The data of attachments that were inline in a text of documents and were stored while the text arrived. In the text,
/// the string of such data is empty.
package struct StreamedAttachments: Sendable {
    /// The data of one attachment.
    package enum Content: Sendable {
        /// The decoded bytes.
        case stored(StoredBlob)
        /// The data was not Base64.
        case invalid
    }

    /// The contents, by the offset of their string in the text.
    private var contents: [Int: Content] = [:]

    /// Creates an empty collection.
    package init() {}

    /// The stored bytes.
    package var blobs: [StoredBlob] {
        contents.values.compactMap { if case .stored(let blob) = $0 { blob } else { nil } }
    }

    /// The content of the string that begins at an offset of the text; `nil` if the string itself has the data.
    package subscript(offset: Int) -> Content? {
        get { contents[offset] }
        set { contents[offset] = newValue }
    }
}
