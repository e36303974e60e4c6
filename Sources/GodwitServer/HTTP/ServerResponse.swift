//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitGzip
import GodwitStore
import GodwitThreads
public import HTTPTypes
import HummingbirdCore
import NIOCore

/// Where a handler writes its answer: at once, or in pieces as they come.
public final class ServerResponse {
    /// Headers that every answer of this request carries, for example `Server`.
    private var commonHeaders: HTTPFields
    let isHead: Bool
    /// Is there when the connection has taken in what was written and takes more.
    ///
    /// A writer that runs ahead of its event loop learns too late that the client reads slowly: without this, each slow
    /// reader cost 3 MB. One that waits with the next piece in its hands costs that piece.
    private let settled: () -> EventLoopFuture<Void>
    private let budget: ResponseBudget
    /// How long the request's body took to arrive, in milliseconds.
    private let bodyTime: () -> Int
    private let channel: any Channel
    private var writer: ResponseWriter?
    private var body: (any ResponseBodyWriter)?
    private var pending: [UInt8] = []
    /// Whether the client takes compressed answers.
    private let acceptsGzip: Bool
    /// Compresses the body on its way, where it is worth it.
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

    /// Whether the head of the answer is already on its way, so that no error can be sent any more.
    package private(set) var hasBegun = false

    /// The status that was sent; 0 before.
    package private(set) var status = 0

    /// Who asks, for the access log; `nil` for nobody in particular.
    var principalName: String?

    /// Names the request in the answer and in the logs.
    let requestID: String

    /// Where the request came from.
    var peerAddress: String { channel.remoteAddress?.ipAddress ?? "" }

    /// Adds headers to the answer, whatever it is.
    func add(_ headers: HTTPFields) {
        for field in headers { commonHeaders[field.name] = field.value }
    }

    /// Takes back what every answer says to caches, where the answer's own headers are all that is said.
    func omitCacheControl() { commonHeaders[.cacheControl] = nil }

    /// Lets the client send its body.
    func announceContinue() async throws {
        try await writer?.writeInformationalHead(HTTPResponse(status: .continue))
    }

    /// Sends a whole answer.
    public func send(
        _ status: HTTPResponse.Status = .ok, contentType: String, headers: HTTPFields = [:], body bytes: [UInt8]
    ) async throws {
        if bytes.count >= ServerLimits.packedBytesMin, packs(contentType, headers) {
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

    /// Sends a whole answer of JSON.
    public func sendJSON(
        _ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body bytes: [UInt8]
    ) async throws {
        try await send(status, contentType: "application/json", headers: headers, body: bytes)
    }

    /// Sends documents as a whole answer.
    func sendJSON(_ text: PinnedText, headers: HTTPFields = [:]) async throws {
        if let bytes = text.takeBytes() { return try await sendJSON(headers: headers, body: bytes) }
        guard text.count > pieceBytes else {
            // Damage of attachments of one piece can still be answered by a status.
            var bytes: [UInt8] = []
            try await text.read(piece: { text.count }) { bytes += $0 }
            return try await sendJSON(headers: headers, body: bytes)
        }
        try await begin(contentType: "application/json", headers: headers, length: acceptsGzip ? nil : text.count)
        try await write(text)
        try await finish()
    }

    /// Sends an answer that has no body, such as 304.
    public func sendEmpty(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) async throws {
        hasBegun = true
        guard let writer = writer.take() else { return }
        try await writer.writeResponse(head(status, contentType: nil, headers: headers))
    }

    /// Begins an answer whose body comes in pieces.
    ///
    /// - Parameters:
    ///   - length: The body's length when it is known; otherwise it is sent in chunks.
    ///   - isLive: Whether the body waits for what happens. It is not compressed then: its rows are too small for that.
    public func begin(
        _ status: HTTPResponse.Status = .ok, contentType: String, headers: HTTPFields = [:], length: Int? = nil,
        isLive: Bool = false
    ) async throws {
        var head = head(status, contentType: contentType, headers: headers)
        if length == nil, !isLive, packs(contentType, headers) {
            head.headerFields[.contentEncoding] = "gzip"
            head.headerFields[.vary] = head.headerFields[.vary].map { $0 + ", Accept-Encoding" } ?? "Accept-Encoding"
            packer = GzipPacker()
        }
        if let length { head.headerFields[.contentLength] = String(length) }
        hasBegun = true
        guard let writer = writer.take() else { return }
        if isHead {
            try await writer.writeResponse(head)
        } else {
            body = try await writer.writeHead(head)
        }
    }

    /// Bytes of the body that are best made at a time, for now.
    public var pieceBytes: Int { budget.pieceBytes }

    /// Bytes of rows whose text is about such a piece.
    var sliceBytes: Int { pieceBytes / 4 * 3 }

    /// Whether a body is wanted: it was begun and is not that of an answer to HEAD.
    var takesBody: Bool { body != nil }

    /// Adds to the body; what is gathered is sent once it is as much as ``sliceBytes``, and not with the next bytes in hand:
    /// the client may be slow.
    public func write(_ bytes: consuming [UInt8]) async throws {
        var bytes = bytes
        try await write(taking: &bytes)
    }

    /// The same, of bytes that the caller does not keep: they are empty before the client is waited for.
    func write(taking bytes: inout [UInt8]) async throws {
        gather(&bytes)
        if pending.count >= sliceBytes { try await sendPending() }
    }

    /// Takes bytes to those that wait. Not asynchronous, so that no frame of a task keeps them while it waits: with copies and
    /// `consuming` parameters each slow reader cost a piece more.
    private func gather(_ bytes: inout [UInt8]) {
        if body != nil, pending.isEmpty {
            swap(&pending, &bytes)
        } else if body != nil {
            pending += bytes
        }
        bytes = []
    }

    /// - Returns: Whether the text was taken: it has no attachments.
    private func gather(_ text: PinnedText) -> Bool {
        guard var bytes = text.takeBytes() else { return false }
        gather(&bytes)
        return true
    }

    /// Adds documents to the body; their attachments are read as they go out.
    func write(_ text: PinnedText) async throws {
        guard takesBody else { return }
        if gather(text) {
            if pending.count >= sliceBytes { try await sendPending() }
        } else {
            try await text.read(piece: { pieceBytes }) { try await write($0) }
        }
    }

    /// Adds a text to the body.
    func write(_ text: String) async throws { try await write(Array(text.utf8)) }

    /// Sends what is gathered.
    public func flush() async throws {
        guard body != nil else { return }
        try await sendPending()
    }

    private func sendPending() async throws {
        guard !pending.isEmpty else { return }
        let buffer = takeBuffer()
        try await send(buffer)
    }

    /// What is gathered, as it is sent.
    private func takeBuffer() -> ByteBuffer {
        defer { pending = [] }
        WorkBudget.current?.release(forBytesSent: pending.count)
        return ByteBuffer(bytes: packer?.pack(pending) ?? pending)
    }

    private func send(_ buffer: ByteBuffer) async throws {
        // Who may no longer have the rest of a long answer does not get it.
        try Task.checkCancellation()
        budget.enter()
        defer { budget.leave() }
        try await body?.write(buffer)
        try await settled().get()
    }

    /// Whether a body of this type is sent compressed.
    private func packs(_ contentType: String, _ headers: HTTPFields) -> Bool {
        acceptsGzip && headers[.contentEncoding] == nil
            && (contentType.hasPrefix("application/json") || contentType.hasPrefix("text/"))
    }

    /// Ends a body that came in pieces.
    public func finish() async throws {
        if body != nil { try await sendPending() }
        if let end = packer?.end() { try await send(ByteBuffer(bytes: end)) }
        packer = nil
        guard let ended = body else { return }
        body = nil
        try await ended.finish(nil)
    }

    private func head(
        _ status: HTTPResponse.Status, contentType: String?, headers: HTTPFields
    ) -> HTTPResponse {
        self.status = status.code
        var fields = commonHeaders
        fields[.bodyTime] = String(bodyTime())
        if let contentType { fields[.contentType] = contentType }
        for field in headers { fields[field.name] = field.value }
        return HTTPResponse(status: status, headerFields: fields)
    }
}

extension HTTPField.Name {
    fileprivate static let bodyTime = HTTPField.Name("X-CouchDB-Body-Time")!
}
