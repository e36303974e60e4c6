//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension StoredRevision {
    /// The document's text as selectors and responses use it, without the bytes of attachments.
    package var documentText: [UInt8] {
        var text = DocumentText()
        DocumentRenderer().append(self, to: &text)
        return text.bytes
    }
}
