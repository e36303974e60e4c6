//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPages
import GodwitBase
import HTTPTypes

/// A file that was embedded in the program when it was built: a part of the console, of the page of a geospatial index,
/// or of the base map.
package struct EmbeddedFile: Sendable {
    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    ]

    /// The media type.
    package let contentType: String
    /// The content.
    package let bytes: [UInt8]

    /// Finds a file; `nil` if it does not exist.
    ///
    /// - Parameters:
    ///   - name: The file's path in its folder.
    ///   - folder: `console`, `map` or `base-map`.
    package init?(_ name: String, in folder: String) {
        var size = 0
        guard !name.utf8.contains(0), let start = embedded_page_file("\(folder)/\(name)", &size) else { return nil }
        contentType = EmbeddedFile.types[name.pieces(at: ".").last.map(String.init) ?? ""] ?? "application/octet-stream"
        bytes = Array(UnsafeBufferPointer(start: start, count: size))
    }

    /// Sends a file that a page loads. A client that has it gets 304.
    package func send(to context: RequestContext) async throws {
        var headers = PagePolicy.fileHeaders
        let tag = "\"\(MessageDigest.Algorithm.sha256.digest(of: bytes).prefix(8).hexadecimal)\""
        headers[.eTag] = tag
        guard !context.request.matches(tag) else {
            return try await context.response.sendEmpty(.notModified, headers: headers)
        }
        try await context.response.send(contentType: contentType, headers: headers, body: bytes)
    }

    /// Sends a page with its policy and the nonce of the response.
    package func send(to context: RequestContext, with policy: PagePolicy) async throws {
        try await context.response.send(
            contentType: contentType, headers: policy.headers, body: policy.adding(to: bytes))
    }
}
