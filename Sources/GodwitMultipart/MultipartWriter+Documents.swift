//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension MultipartWriter {
    /// The headers of the part that holds a document.
    package static let documentHeaders = [("Content-Type", "application/json")]

    /// The header of a part that has the rest of an attachment, of which the receiver has what is before: where the rest
    /// begins, in bytes. Two Godwits alone use it.
    package static let startHeader = "Godwit-Start"

    /// The headers of an attachment, in CouchDB's order.
    ///
    /// - Parameters:
    ///   - name: The attachment's name.
    ///   - contentType: Its media type.
    ///   - length: The bytes of the part's body: of the encoded attachment when it is sent encoded.
    ///   - encoding: How it is encoded, for example `gzip`; `nil` when it is not.
    ///   - start: Where in the attachment the body begins; `nil` for one that is sent whole, as CouchDB does.
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

    /// The length of a whole body, to be sent as `Content-Length` before the body itself.
    ///
    /// - Parameter parts: The headers of each part, as ``part(_:)`` will be given them, and the bytes of its body.
    /// - Returns: The exact number of bytes, from the first delimiter to the last.
    package func length(of parts: [(headers: [(String, String)], bodyBytes: Int)]) -> Int {
        var writer = MultipartWriter(unbegun: self)
        var length = 0
        for part in parts { length += writer.part(part.headers).count + part.bodyBytes }
        return length + writer.end().count
    }
}
