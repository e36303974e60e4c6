//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension MultipartWriter {
    /// The headers of the part that contains a document.
    package static let documentHeaders = [("Content-Type", "application/json")]

    /// The header of a part that contains only the rest of an attachment, because the receiver already has the first
    /// bytes of the attachment. The value of the header is the offset at which the rest begins, in bytes. Only Godwit
    /// clients and servers use this header.
    package static let startHeader = "Godwit-Start"

    /// Returns the headers of an attachment, in CouchDB's order.
    ///
    /// - Parameters:
    ///   - name: The attachment's name.
    ///   - contentType: The attachment's media type.
    ///   - length: The length of the part's body in bytes. If the attachment is sent in an encoding, this is the length
    ///     after the encoding.
    ///   - encoding: The attachment's encoding, for example `gzip`; `nil` when it is not encoded.
    ///   - start: The offset in the attachment at which the body of the part starts; `nil` for a complete attachment.
    ///     CouchDB always sends complete attachments.
    package static func attachmentHeaders(
        name: String, contentType: String, length: Int, encoding: String? = nil, start: Int? = nil
    ) -> [(String, String)] {
        let headers = [
            ("Content-Disposition", ContentDisposition.attachment(filename: name)),
            ("Content-Type", contentType),
            ("Content-Length", String(length)),
        ]
        return headers + (encoding.map { [("Content-Encoding", $0)] } ?? [])
            + (start.map { [(startHeader, String($0))] } ?? [])
    }

    /// Returns the length of a complete body, for `Content-Length`.
    ///
    /// - Parameter parts: For each part, the headers that will be passed to ``part(_:)``, and the length of its body in
    ///   bytes.
    /// - Returns: The exact number of bytes, from the first delimiter to the last.
    package func length(of parts: [(headers: [(String, String)], bodyBytes: Int)]) -> Int {
        var writer = MultipartWriter(unbegun: self)
        var length = 0
        for part in parts { length += writer.part(part.headers).count + part.bodyBytes }
        return length + writer.end().count
    }
}
