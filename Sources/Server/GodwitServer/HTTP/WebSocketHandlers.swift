//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket

/// Changes a connection of HTTP/1.1 to a WebSocket when a response with status 101 is written (RFC 6455).
///
/// The handler is next to the codec in the pipeline. Therefore all other handlers get parts of HTTP messages, both
/// before and after the change.
final class WebSocketSwitch: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The inbox that receives the messages of the client; `nil` to ignore the messages. This property is set on the
    /// event loop, before the connection becomes a WebSocket.
    var inbox: WebSocketInbox?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(let head) = unwrapOutboundIn(data), head.status == .switchingProtocols else {
            return context.write(data, promise: promise)
        }
        context.write(data, promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
        do {
            try replaceHandlers(of: context.pipeline.syncOperations)
        } catch {
            context.close(promise: nil)
        }
    }

    private func replaceHandlers(of pipeline: ChannelPipeline.SynchronousOperations) throws {
        let frames: [any ChannelHandler] = [
            WebSocketFrameEncoder(),
            ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: ServerLimits.webSocketFrameBytesMax)),
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: ServerLimits.webSocketFragmentsMax,
                maxAccumulatedFrameSize: ServerLimits.webSocketFrameBytesMax),
            WebSocketMessages(inbox),
        ]
        try pipeline.addHandlers(frames, position: .after(self))
        let replaced: [any RemovableChannelHandler] = [
            try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self),
            try pipeline.handler(type: HTTPResponseEncoder.self),
            try pipeline.handler(type: HTTP1ToHTTPServerCodec.self), self,
        ]
        for handler in replaced { _ = pipeline.removeHandler(handler) }
        if let handler = try? pipeline.handler(type: VersionHandler.self) { _ = pipeline.removeHandler(handler) }
    }
}

/// Sends each part of a response's body as a text message, answers the control frames of the client, and passes the
/// client's messages to an inbox. While the inbox is full, nothing is read from the client.
private final class WebSocketMessages: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = Never
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = WebSocketFrame

    private let inbox: WebSocketInbox?
    private var isClosing = false
    /// Whether the channel wanted to read while the inbox was full. The read is then done when the inbox is no longer
    /// full.
    private var isReadHeld = false

    init(_ inbox: WebSocketInbox?) { self.inbox = inbox }

    func handlerAdded(context: ChannelHandlerContext) {
        let loop = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        inbox?.onRoom = { [eventLoop = context.eventLoop] in
            eventLoop.execute {
                let (handler, context) = loop.value
                handler.resume(context)
            }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { inbox?.close() }

    func read(context: ChannelHandlerContext) {
        isReadHeld = inbox?.isFull ?? false
        if !isReadHeld { context.read() }
    }

    private func resume(_ context: ChannelHandlerContext) {
        guard isReadHeld else { return }
        isReadHeld = false
        context.read()
    }

    func channelInactive(context: ChannelHandlerContext) {
        inbox?.close()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .ping:
            let answer = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        case .text: inbox?.append(.text(String(buffer: frame.unmaskedData)))
        case .binary: inbox?.append(.binary([UInt8](frame.unmaskedData.readableBytesView)))
        case .connectionClose:
            inbox?.close()
            close(context, nil)
            context.close(promise: nil)
        default: break
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head: promise?.succeed()
        case .body(let bytes) where !isClosing:
            context.write(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .text, data: bytes)), promise: promise)
        case .body: promise?.fail(ChannelError.ioOnClosedChannel)
        case .end: close(context, promise)
        }
    }

    /// Sends a close frame, once.
    private func close(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        guard !isClosing else { return promise?.succeed() ?? () }
        isClosing = true
        // Later messages of the client are ignored until the client or the task below closes the connection.
        inbox?.close()
        resume(context)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: .seconds(ServerLimits.lingerSecondsMax)) { channel.close(promise: nil) }
        var reason = context.channel.allocator.buffer(capacity: 2)
        reason.write(webSocketErrorCode: .goingAway)
        context.writeAndFlush(
            wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: reason)), promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The client sent an invalid frame, or the connection failed.
        context.close(promise: nil)
    }
}
