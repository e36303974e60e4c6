//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Cuts off who reads or writes too slowly, and keeps little in memory for them meanwhile.
///
/// A connection whose buffer of unsent bytes stays full, one whose request's body does not come on although the server
/// waits for it, and one whose first request has no whole head yet, is closed after `stallSecondsMax`; one whose next
/// request has none, after `idleConnectionSecondsMax`. It costs a fast client a timer a request.
final class StallHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let patience: TimeAmount
    private let idlePatience: TimeAmount
    /// Closes the connection unless the head of a request comes before.
    private var heading: Scheduled<Void>?
    /// Requests whose answer is not sent; a client may send several ahead.
    private var unanswered = 0
    /// Closes the connection unless its buffer empties before.
    private var sending: Scheduled<Void>?
    /// Waits for the buffer to empty.
    private var waiting: EventLoopPromise<Void>?
    /// Looks, time and again, whether a body came on.
    private var receiving: RepeatedTask?
    private var bytesReceived = 0
    /// Whether the server waits for more of the body.
    private var isReading = false
    private var readingSince = NIODeadline.now()

    init(limits: ServerLimits) {
        patience = .seconds(Int64(limits.stallSecondsMax))
        idlePatience = .seconds(Int64(limits.idleConnectionSecondsMax))
    }

    func handlerAdded(context: ChannelHandlerContext) {
        awaitHead(context, within: patience)
        // A stream of HTTP/2 has windows in place of a buffer, and ends the process when it is given a mark.
        guard context.channel is any SocketOptionProvider else { return }
        let mark = ChannelOptions.Types.WriteBufferWaterMark(
            low: 1, high: ServerLimits.unsentBytesMax)
        // It fails when the connection is gone already.
        context.channel.setOption(.writeBufferWaterMark, value: mark).whenFailure { _ in }
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    private func stop() {
        heading?.cancel()
        sending?.cancel()
        receiving?.cancel()
        (heading, sending, receiving) = (nil, nil, nil)
        // Whoever waits learns of the end when writing.
        waiting?.succeed()
        waiting = nil
    }

    // MARK: Slow heads

    private func awaitHead(_ context: ChannelHandlerContext, within time: TimeAmount) {
        heading?.cancel()
        let channel = context.channel
        heading = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            unanswered -= 1
            if unanswered == 0 { awaitHead(context, within: idlePatience) }
        }
        context.write(data, promise: promise)
    }

    // MARK: Slow readers

    func channelReadComplete(context: ChannelHandlerContext) {
        // What was asked for came; the server asks again when it wants more.
        isReading = false
        context.fireChannelReadComplete()
    }

    /// Is there when a connection takes more; asked for on its event loop.
    static func whenWritable(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard !channel.isWritable, let handler = try? channel.pipeline.syncOperations.handler(type: StallHandler.self)
        else { return channel.eventLoop.makeSucceededVoidFuture() }
        let waiting = handler.waiting ?? channel.eventLoop.makePromise()
        handler.waiting = waiting
        return waiting.futureResult
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        sending?.cancel()
        sending = nil
        if context.channel.isWritable {
            waiting?.succeed()
            waiting = nil
        } else {
            let channel = context.channel
            sending = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Slow writers

    func read(context: ChannelHandlerContext) {
        if !isReading { (bytesReceived, readingSince) = (0, .now()) }
        isReading = true
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            heading?.cancel()
            heading = nil
            unanswered += 1
            bytesReceived = 0
            let channel = context.channel
            let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
            receiving = context.eventLoop.scheduleRepeatedTask(initialDelay: patience, delay: patience) { _ in
                if bound.value.isStalled() { channel.close(promise: nil) }
            }
        case .body(let bytes): bytesReceived += bytes.readableBytes
        case .end:
            receiving?.cancel()
            receiving = nil
        }
        context.fireChannelRead(data)
    }

    /// Whether less than `stallBytesMin` came since the last look, although the server waits for them.
    private func isStalled() -> Bool {
        let isStalled = isReading && bytesReceived < ServerLimits.stallBytesMin && .now() - readingSince >= patience
        (bytesReceived, readingSince) = (0, .now())
        return isStalled
    }
}
