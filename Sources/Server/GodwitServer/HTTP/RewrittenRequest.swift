//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import HummingbirdCore
import NIOCore

/// A request that replaces a received request. The server finds a route for it, authorizes it and handles it, as if a
/// client had sent it.
///
/// A ``RewritingHandler`` returns it as ``Answer/rewritten(_:)``.
public struct RewrittenRequest: Sendable {
    private let original: ServerRequest
    private let target: RequestTarget
    private let path: String
    private var body: RequestBody?
    var method: HTTPRequest.Method
    var headers: HTTPFields

    /// Creates a request with another path and the same method, headers and body.
    ///
    /// - Parameter path: The new path and query.
    /// - Throws: ``HTTPFailure`` with status 400 when the path is malformed.
    public init(_ original: ServerRequest, to path: String) throws(HTTPFailure) {
        self.original = original
        self.path = path
        target = try RequestTarget(path)
        method = original.head.method
        headers = original.head.headerFields
    }

    /// Replaces the body. This is necessary if the handler has read the original body, which can be read only once.
    mutating func replaceBody(with bytes: [UInt8]) {
        body = RequestBody(buffer: ByteBuffer(bytes: bytes))
        headers[.contentEncoding] = nil
        headers[.transferEncoding] = nil
        headers[.contentLength] = String(bytes.count)
    }

    /// The request to handle.
    var request: ServerRequest {
        var head = original.head
        head.path = path
        head.method = method
        head.headerFields = headers
        return ServerRequest(
            head: head, target: target, requested: original.requested ?? original.target, channel: original.channel,
            body: body ?? original.body, beforeBody: body == nil ? original.beforeBody : BodyGate())
    }
}
