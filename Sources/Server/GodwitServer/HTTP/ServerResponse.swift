//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore
import GodwitTransport
public import HTTPTypes
import HummingbirdCore
import NIOCore

/// Writes the response to a request, at once or in pieces. A handler begins only one response: it must not call `send`,
/// `sendJSON`, `sendEmpty` or `begin` after the response has begun.
public final class ServerResponse {
    /// Headers that are added to the response, for example `Server`. An error response also gets these headers.
    private var commonHeaders: HTTPFields
    /// Whether the request's method is `HEAD`, so that only the status and the headers are sent.
    package let isHead: Bool
    /// Returns a future that succeeds in two cases: the connection has accepted all written bytes and can accept more,
    /// or the connection has ended.
    ///
    /// A handler that waits for this future before it writes the next piece needs memory for only one piece. A handler
    /// that does not wait may write faster than the event loop sends. Such a handler notices too late that its client
    /// reads slowly, and needs 3 MB of memory per client.
    private let settled: () -> EventLoopFuture<Void>
    private let budget: ResponseBudget
    /// Returns the time that it took to read the request's body, in milliseconds.
    private let bodyTime: () -> Int
    private let channel: any Channel
    private var writer: ResponseWriter?
    private var body: (any ResponseBodyWriter)?
    private var pending: [UInt8] = []
    /// Whether the client accepts gzip.
    let acceptsGzip: Bool
    /// Compresses the body while it is sent; `nil` for an uncompressed body.
    private var packer: GzipPacker?

    init(
        writer: consuming ResponseWriter, isHead: Bool, acceptsGzip: Bool, commonHeaders: HTTPFields,
        requestID: String, channel: any Channel, budget: ResponseBudget, bodyTime: @escaping () -> Int,
        settled: @escaping () -> EventLoopFuture<Void>
    ) {
        self.requestID = requestID
        self.channel = channel
        self.budget = budget
        self.writer = consume writer
        self.isHead = isHead
        self.acceptsGzip = acceptsGzip
        self.commonHeaders = commonHeaders
        self.settled = settled
        self.bodyTime = bodyTime
    }

    /// Whether the head of the response is sent. After that no error response can be sent.
    package private(set) var hasBegun = false

    /// The status that was sent; 0 before the head of the response is sent.
    package private(set) var status = 0

    /// The principal's name for the logs; `nil` for an anonymous principal, and until the principal is identified.
    var principalName: String?
    /// Whether an administrator of the server sent the request.
    var isOfAdministrator = false

    /// The identifier of the request in the response and in the logs.
    package let requestID: String

    /// The client's IP address; empty when it is unknown.
    var peerAddress: String { channel.remoteAddress?.ipAddress ?? "" }

    /// Adds headers to the response, including an error response.
    package func add(_ headers: HTTPFields) {
        for field in headers { commonHeaders[field.name] = field.value }
    }

    /// Removes the default header `Cache-Control`. A header `Cache-Control` that the handler sets is still sent.
    package func omitCacheControl() { commonHeaders[.cacheControl] = nil }

    /// Sends `100 Continue`.
    func announceContinue() async throws {
        try await writer?.writeInformationalHead(HTTPResponse(status: .continue))
    }

    /// Sends a complete response.
    public func send(
        _ status: HTTPResponse.Status = .ok, contentType: String, headers: HTTPFields = [:], body bytes: [UInt8]
    ) async throws {
        if bytes.count >= ServerLimits.packedBytesMin, isCompressed(contentType, headers) {
            try await begin(status, contentType: contentType, headers: headers)
            try await write(bytes)
            return try await finish()
        }
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

    /// Sends a complete response with JSON.
    public func sendJSON(
        _ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body bytes: [UInt8]
    ) async throws {
        try await send(status, contentType: "application/json", headers: headers, body: bytes)
    }

    /// Sends documents as a complete response. The bytes of their attachments come from a datastore.
    func sendJSON(_ text: DocumentText, of datastore: Datastore, headers: HTTPFields = [:]) async throws {
        guard text.hasGaps else { return try await sendJSON(headers: headers, body: text.bytes) }
        let text = try datastore.pinned(text)
        guard text.count > pieceBytes else {
            // If the attachments fit into one piece, they are read before the response begins. Therefore the status of
            // the response can still report that an attachment is damaged.
            var bytes: [UInt8] = []
            try await text.read(piece: { text.count }) { bytes += $0 }
            return try await sendJSON(headers: headers, body: bytes)
        }
        try await begin(contentType: "application/json", headers: headers, length: acceptsGzip ? nil : text.count)
        try await write(text)
        try await finish()
    }

    /// Sends a response without a body, such as a response with status 304.
    public func sendEmpty(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) async throws {
        hasBegun = true
        guard let writer = writer.take() else { return }
        try await writer.writeResponse(head(status, contentType: nil, headers: headers))
    }

    /// Begins a response whose body is written in pieces.
    ///
    /// - Parameters:
    ///   - length: The length of the complete body. If it is `nil`, the body is sent in chunks. It is then also
    ///     compressed if the client accepts gzip.
    ///   - isLive: Whether the body contains events, each of which is sent when it occurs. Such a body is not
    ///     compressed, because each event is too short.
    public func begin(
        _ status: HTTPResponse.Status = .ok, contentType: String, headers: HTTPFields = [:], length: Int? = nil,
        isLive: Bool = false
    ) async throws {
        var head = head(status, contentType: contentType, headers: headers)
        if length == nil, !isLive, isCompressed(contentType, headers) {
            head.headerFields[.contentEncoding] = "gzip"
            head.headerFields[.vary] = head.headerFields[.vary].map { $0 + ", Accept-Encoding" } ?? "Accept-Encoding"
            packer = GzipPacker()
        }
        if let length { head.headerFields[.contentLength] = String(length) }
        // nginx would keep events back until its buffer is full.
        if isLive { head.headerFields[.accelBuffering] = "no" }
        hasBegun = true
        guard let writer = writer.take() else { return }
        if isHead {
            try await writer.writeResponse(head)
        } else {
            body = try await writer.writeHead(head)
        }
    }

    /// Begins a response whose body is in another protocol.
    func beginSwitching(_ headers: HTTPFields) async throws {
        hasBegun = true
        status = HTTPResponse.Status.switchingProtocols.code
        guard let writer = writer.take() else { return }
        var headers = headers
        headers[.date] = DateHeader.current
        body = try await writer.writeHead(HTTPResponse(status: .switchingProtocols, headerFields: headers))
    }

    /// The current recommended size of the pieces of a body, in bytes.
    public var pieceBytes: Int { budget.pieceBytes }

    /// The recommended size of rows that are rendered together, in bytes: three quarters of a piece.
    var sliceBytes: Int { pieceBytes / 4 * 3 }

    /// Whether the response has begun and has a body. A response to a HEAD request has no body.
    var acceptsBody: Bool { body != nil }

    /// Appends to the body. Does nothing for a response without a body. The bytes are buffered, and sent when the
    /// buffer reaches ``sliceBytes``. The method waits while they are sent, because the client may be slow.
    public func write(_ bytes: consuming [UInt8]) async throws {
        var bytes = bytes
        try await write(taking: &bytes)
    }

    /// Appends to the body. The method empties `bytes` before it waits for the client, so that the caller's copy uses
    /// no memory during the wait.
    func write(taking bytes: inout [UInt8]) async throws {
        appendToBuffer(&bytes)
        if pending.count >= sliceBytes { try await sendPending() }
    }

    /// Moves bytes to the buffer. The method is not asynchronous. If it were, the frame of its task would reference the
    /// bytes while the method waits for the client. Each slow client would then need the memory of one more piece.
    private func appendToBuffer(_ bytes: inout [UInt8]) {
        if body != nil, pending.isEmpty {
            swap(&pending, &bytes)
        } else if body != nil {
            pending += bytes
        }
        bytes = []
    }

    /// Moves a text to the buffer.
    ///
    /// - Returns: Whether the text was moved. `false` if the text has attachments.
    private func appendToBuffer(_ text: PinnedText) -> Bool {
        guard var bytes = text.takeBytes() else { return false }
        appendToBuffer(&bytes)
        return true
    }

    /// Appends documents to the body. Their attachments are read while they are sent.
    func write(_ text: PinnedText) async throws {
        guard acceptsBody else { return }
        if appendToBuffer(text) {
            if pending.count >= sliceBytes { try await sendPending() }
        } else {
            try await text.read(piece: { pieceBytes }) { try await write($0) }
        }
    }

    /// Appends a text to the body.
    func write(_ text: String) async throws { try await write(Array(text.utf8)) }

    /// Sends the buffered bytes.
    public func flush() async throws {
        guard body != nil else { return }
        try await sendPending()
    }

    private func sendPending() async throws {
        guard !pending.isEmpty else { return }
        let buffer = takeBuffer()
        try await send(buffer)
    }

    /// Removes the buffered bytes and returns them for sending, compressed if the body is compressed.
    private func takeBuffer() -> ByteBuffer {
        defer { pending = [] }
        WorkBudget.current?.release(forBytesSent: pending.count)
        return ByteBuffer(bytes: packer?.pack(pending) ?? pending)
    }

    private func send(_ buffer: ByteBuffer) async throws {
        // If the principal lost its rights during a long response, its task is cancelled, and the client does not get
        // the rest of the response.
        try Task.checkCancellation()
        budget.enter()
        defer { budget.leave() }
        try await body?.write(buffer)
        try await settled().get()
    }

    /// Whether a body of this type is sent compressed.
    private func isCompressed(_ contentType: String, _ headers: HTTPFields) -> Bool {
        acceptsGzip && headers[.contentEncoding] == nil
            && (contentType.begins(with: "application/json") || contentType.begins(with: "text/"))
    }

    /// Ends a body that was written in pieces.
    public func finish() async throws {
        if body != nil { try await sendPending() }
        if let lastBytes = packer?.end() { try await send(ByteBuffer(bytes: lastBytes)) }
        packer = nil
        guard let finishedBody = body else { return }
        body = nil
        try await finishedBody.finish(nil)
    }

    private func head(
        _ status: HTTPResponse.Status, contentType: String?, headers: HTTPFields
    ) -> HTTPResponse {
        self.status = status.code
        var fields = commonHeaders
        fields[.bodyTime] = String(bodyTime())
        fields[.date] = DateHeader.current
        if let contentType { fields[.contentType] = contentType }
        for field in headers { fields[field.name] = field.value }
        if let common = commonHeaders.value(of: .vary), let own = headers.value(of: .vary) {
            fields[.vary] = "\(common), \(own)"
        }
        return HTTPResponse(status: status, headerFields: fields)
    }
}

/// The value of the header `Date`. It is composed once a second.
enum DateHeader {
    private static let composed = Mutex((seconds: -1, text: ""))

    static var current: String {
        let now = WallClock.seconds
        return composed.withLock { composed in
            if composed.seconds != now { composed = (now, HTTPDate.text(now)) }
            return composed.text
        }
    }
}

extension HTTPField.Name {
    fileprivate static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
    fileprivate static let bodyTime = HTTPField.Name("X-CouchDB-Body-Time")!
}
