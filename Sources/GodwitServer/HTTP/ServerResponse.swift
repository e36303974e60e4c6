//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
public import HTTPTypes
package import HummingbirdCore
import NIOCore

/// Where a handler writes its answer: at once, or in pieces as they come.
public final class ServerResponse {
    /// Headers that every answer of this request carries, for example `Server`.
    private var commonHeaders: HTTPFields
    private let isHead: Bool
    private let closesConnection: () -> Bool
    private var writer: ResponseWriter?
    private var body: (any ResponseBodyWriter)?
    private var pending: [UInt8] = []

    package init(
        writer: consuming ResponseWriter, isHead: Bool, commonHeaders: HTTPFields,
        closesConnection: @escaping () -> Bool
    ) {
        self.writer = consume writer
        self.isHead = isHead
        self.commonHeaders = commonHeaders
        self.closesConnection = closesConnection
    }

    /// Whether the head of the answer is already on its way, so that no error can be sent any more.
    package private(set) var hasBegun = false

    /// Whether the connection ends with this answer.
    package private(set) var endsConnection = false

    /// Adds headers to the answer, whatever it is.
    func add(_ headers: HTTPFields) {
        for field in headers { commonHeaders[field.name] = field.value }
    }

    /// Lets the client send its body.
    func announceContinue() async throws {
        try await writer?.writeInformationalHead(HTTPResponse(status: .continue))
    }

    /// Sends a whole answer.
    public func send(
        _ status: HTTPResponse.Status = .ok, contentType: String, headers: HTTPFields = [:], body bytes: [UInt8]
    ) async throws {
        var head = head(status, contentType: contentType, headers: headers)
        head.headerFields[.contentLength] = String(bytes.count)
        hasBegun = true
        guard let writer = writer.take() else { return }
        if isHead || bytes.isEmpty {
            try await writer.writeResponse(head)
        } else {
            try await writer.write(response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }

    /// Sends a whole answer of JSON.
    public func sendJSON(
        _ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body bytes: [UInt8]
    ) async throws {
        try await send(status, contentType: "application/json", headers: headers, body: bytes)
    }

    /// Sends an answer that has no body, such as 304.
    public func sendEmpty(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) async throws {
        hasBegun = true
        guard let writer = writer.take() else { return }
        try await writer.writeResponse(head(status, contentType: nil, headers: headers))
    }

    /// Begins an answer whose body comes in pieces.
    ///
    /// - Parameter length: The body's length when it is known; otherwise it is sent in chunks.
    public func begin(
        _ status: HTTPResponse.Status = .ok, contentType: String, headers: HTTPFields = [:], length: Int? = nil
    ) async throws {
        var head = head(status, contentType: contentType, headers: headers)
        if let length { head.headerFields[.contentLength] = String(length) }
        hasBegun = true
        guard let writer = writer.take() else { return }
        if isHead {
            try await writer.writeResponse(head)
        } else {
            body = try await writer.writeHead(head)
        }
    }

    /// Adds to the body; what is gathered is sent in pieces of `responseChunkBytes`.
    public func write(_ bytes: some Collection<UInt8>) async throws {
        guard body != nil else { return }
        pending.append(contentsOf: bytes)
        if pending.count >= ServerLimits.responseChunkBytes { try await flush() }
    }

    /// Sends what is gathered.
    public func flush() async throws {
        guard body != nil, !pending.isEmpty else { return }
        let buffer = ByteBuffer(bytes: pending)
        pending.removeAll(keepingCapacity: true)
        try await body?.write(buffer)
    }

    /// Ends a body that came in pieces.
    public func finish() async throws {
        try await flush()
        guard let ended = body else { return }
        body = nil
        try await ended.finish(nil)
    }

    private func head(
        _ status: HTTPResponse.Status, contentType: String?, headers: HTTPFields
    ) -> HTTPResponse {
        var fields = commonHeaders
        if let contentType { fields[.contentType] = contentType }
        for field in headers { fields[field.name] = field.value }
        if closesConnection() {
            fields[.connection] = "close"
            endsConnection = true
        }
        return HTTPResponse(status: status, headerFields: fields)
    }
}
