//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Decides whether a connection stays open after a response, and announces the decision to the client. Closes the
/// connection in such a way that the client can still read the response (RFC 9112, sections 9.3 and 9.6).
///
/// A connection ends after a response in these cases:
/// - The client or the handler requests the end.
/// - The client requests another protocol.
/// - The response declares no length, and the request used HTTP/1.0 or the method HEAD. Only the end of the connection
///   can then mark the end of the response.
/// - The rest of the request's body is too long to be read and discarded, or its length is not known.
///
/// If the server closed the connection at once while bytes from the client are unread, the client's system would
/// discard the response. Therefore the server first closes only its sending side. Then the server reads and discards
/// bytes for some time. Finally, the server closes the connection. A stream of HTTP/2 is handled like a connection with
/// only one request.
final class PersistenceHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The requests whose responses are not yet sent. A client may send several requests ahead (pipelining).
    private var exchanges = CircularBuffer<Exchange>()
    /// The handler of HTTP versions; `nil` in a stream of HTTP/2.
    private var versionHandler: VersionHandler?
    /// Whether the last response is written. Everything that arrives afterwards is discarded.
    private var isEnding = false
    private var discardedCount = 0
    /// The timer that closes the connection if the client does not close it first.
    private var closeTimer: Scheduled<Void>?

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        guard let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
        let handler = VersionHandler()
        // Adding the handler fails only if the connection has already ended.
        guard (try? pipeline.addHandler(handler, position: .before(codec))) != nil else { return }
        versionHandler = handler
    }

    func handlerRemoved(context: ChannelHandlerContext) { closeTimer?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        closeTimer?.cancel()
        context.fireChannelInactive()
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        guard !isEnding else { return discard(part, context) }
        switch part {
        case .head(let head):
            exchanges.append(Exchange(head, version: versionHandler?.request))
            let request = head.withSingleHost(version: versionHandler?.request)
            return context.fireChannelRead(wrapInboundOut(.head(request)))
        case .body(let bytes):
            if let last = exchanges.indices.last { exchanges[last].noteReceived(bytes.readableBytes) }
        case .end:
            if let last = exchanges.indices.last { exchanges[last].isComplete = true }
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if isEnding { context.read() }
    }

    private func discard(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        guard case .body(let bytes) = part else { return }
        discardedCount += bytes.readableBytes
        if discardedCount > ServerLimits.lingerBytesMax { context.close(promise: nil) }
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status.kind == .informational:
            // A client of HTTP/1.0 would treat an informational response as the final response.
            guard exchanges.first?.isHTTP10 != true else { return promise?.succeed() ?? () }
            if !exchanges.isEmpty { exchanges[exchanges.startIndex].waitsForContinue = false }
            context.write(data, promise: promise)
        case .head(var head):
            // The transport itself answers a request that could not be parsed, without this header.
            if exchanges.isEmpty { head.headerFields[.date] = DateHeader.current }
            var exchange = exchanges.popFirst() ?? Exchange()
            exchange.isLast = exchange.ends(with: head)
            if let versionHandler {
                versionHandler.answer = exchange.isHTTP10 ? .http1_0 : .http1_1
                if exchange.isLast || exchange.isHTTP10 {
                    head.headerFields[.connection] = exchange.isLast ? "close" : "keep-alive"
                }
            }
            exchanges.prepend(exchange)
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            guard exchanges.popFirst()?.isLast == true else { return context.write(data, promise: promise) }
            isEnding = true
            let written = promise ?? context.eventLoop.makePromise()
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            written.futureResult.whenSuccess {
                let (handler, context) = bound.value
                handler.linger(context)
            }
            context.write(data, promise: written)
        }
    }

    private func linger(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        if versionHandler != nil { context.close(mode: .output, promise: nil) }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        closeTimer = context.eventLoop.scheduleTask(in: .seconds(ServerLimits.lingerSecondsMax)) {
            bound.value.close(promise: nil)
        }
        context.read()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // If `isEnding` is `true`, this handler itself closes the sending side after the response. A further call that
        // closes the sending side therefore only waits for the end of the connection.
        guard isEnding, mode == .output else { return context.close(mode: mode, promise: promise) }
        context.channel.closeFuture.cascade(to: promise)
    }
}

/// The properties of a request that decide whether its connection stays open.
private struct Exchange {
    /// Whether the client uses HTTP/1.0, which has no chunked bodies.
    var isHTTP10 = false
    var wantsEnd = false
    /// Whether this is a HEAD request in HTTP/1. For a response in chunks, the transport also writes the last chunk for
    /// a HEAD request, whose response has no body. The client would treat this chunk as the beginning of the next
    /// response.
    var isHead = false
    /// Whether the client waits for `100 Continue` before it sends the body.
    var waitsForContinue = false
    /// The number of bytes of the body that are still to come; `nil` when the client did not declare the length. In
    /// HTTP/1, a request without a declared length and without chunks has no body.
    var remainingBytes: Int?
    /// Whether the complete request has arrived.
    var isComplete = false
    /// Whether the connection ends with the response.
    var isLast = false

    /// Creates the record of a request that could not be parsed.
    init() {}

    /// Creates the record of a request.
    ///
    /// - Parameter version: The HTTP version; `nil` in HTTP/2.
    init(_ head: HTTPRequest, version: HTTPVersion?) {
        let fields = head.headerFields
        waitsForContinue = fields[.expect]?.lowercased() == "100-continue"
        remainingBytes = fields.value(of: .contentLength).map { Int($0) ?? .max }
        guard let version else { return }
        if remainingBytes == nil, !fields.contains(.transferEncoding) { remainingBytes = 0 }
        isHead = head.method == .head
        isHTTP10 = (version.major, version.minor) < (1, 1)
        let options = fields.value(of: .connection)?.lowercasedASCII.commaSeparatedItems ?? []
        // After a request for another protocol, the transport parses no further requests, because the following bytes
        // may be in the other protocol.
        let wantsOtherProtocol =
            head.method == .connect || fields.contains(.upgrade) && options.contains("upgrade")
        wantsEnd =
            wantsOtherProtocol || options.contains("close") || isHTTP10 && !options.contains("keep-alive")
    }

    mutating func noteReceived(_ byteCount: Int) { remainingBytes = remainingBytes?.subtractingSaturated(byteCount) }

    func ends(with head: HTTPResponse) -> Bool {
        if wantsEnd || head.headerFields.value(of: .connection) == "close" { return true }
        if !isComplete {
            guard !waitsForContinue, let remainingBytes, remainingBytes <= ServerLimits.unreadBytesMax else {
                return true
            }
        }
        guard !head.headerFields.contains(.contentLength), isHTTP10 || isHead else { return false }
        return head.status != .noContent && head.status != .notModified
    }
}

/// Provides the version of HTTP/1 that a client uses, because `HTTPRequest` does not contain it. Sends the response
/// with the version in ``answer``.
///
/// If the version of the response is HTTP/1.0, the transport sends no chunks.
final class VersionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The version of the last request whose head arrived.
    private(set) var request = HTTPVersion.http1_1
    /// The version in which the next head is sent.
    var answer = HTTPVersion.http1_1

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) { request = head.version }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        head.version = answer
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
