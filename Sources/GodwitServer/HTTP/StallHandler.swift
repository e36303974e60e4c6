//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Cuts off who reads or writes too slowly, and keeps little in memory for them meanwhile. Tells of a body that is broken off.
///
/// A connection whose buffer of unsent bytes stays full, one whose request's body does not come on although the server
/// waits for it, and one whose first request has no whole head yet, is closed after `stallSecondsMax`; one whose next
/// request has none, after `idleConnectionSecondsMax`. A request that comes and goes in time costs two looks at the clock:
/// the timer stays where it is until it fires, and is set anew for what is due then.
final class StallHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let patience: TimeAmount
    private let idlePatience: TimeAmount
    /// When the connection is closed unless the head of a request comes before.
    private var headDue: NIODeadline?
    /// When to look whether the body of a request came on.
    private var bodyDue: NIODeadline?
    /// Looks when the first of both is due, or earlier.
    private var alarm: (task: Scheduled<Void>, time: NIODeadline)?
    /// Requests whose answer is not sent; a client may send several ahead.
    private var unanswered = 0
    /// Closes the connection unless its buffer empties before.
    private var sending: Scheduled<Void>?
    /// Waits for the buffer to empty.
    private var waiting: EventLoopPromise<Void>?
    /// What of the body came since the last look, and how long the server waited for it.
    private var bytesReceived = 0
    private var waited = TimeAmount.zero
    /// Since when the server waits for more of the body; `nil` while it does not.
    private var waitingSince: NIODeadline?

    /// Told when the client is gone, unless it owes the rest of a body: who reads the body learns that.
    private let onClientGone: @Sendable (any Channel) -> Void

    init(limits: ServerLimits, onClientGone: @escaping @Sendable (any Channel) -> Void = { _ in }) {
        self.onClientGone = onClientGone
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
        // The decoder of HTTP/1 tells of this. A stream of HTTP/2 that goes with its connection just ends, and what came of
        // a body would pass for all of it.
        if bodyDue == nil { onClientGone(context.channel) } else { context.fireErrorCaught(BrokenOffBody()) }
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client that closed its connection and one that closed its side alone look the same until something is sent.
        if case .inputClosed? = event as? ChannelEvent, bodyDue == nil { onClientGone(context.channel) }
        context.fireUserInboundEventTriggered(event)
    }

    private func stop() {
        alarm?.task.cancel()
        sending?.cancel()
        (alarm, sending) = (nil, nil)
        // Whoever waits learns of the end when writing.
        waiting?.succeed()
        waiting = nil
    }

    // MARK: What is due

    /// Has a look at a time, if there is none before.
    private func look(at time: NIODeadline, _ loop: any EventLoop, _ channel: any Channel) {
        if let alarm, alarm.time <= time { return }
        alarm?.task.cancel()
        let bound = NIOLoopBound(self, eventLoop: loop)
        alarm = (loop.scheduleTask(deadline: time) { bound.value.look(loop, channel) }, time)
    }

    private func look(_ loop: any EventLoop, _ channel: any Channel) {
        alarm = nil
        let now = NIODeadline.now()
        if let headDue, headDue <= now { return channel.close(promise: nil) }
        if let bodyDue, bodyDue <= now {
            if isStalled() { return channel.close(promise: nil) }
            self.bodyDue = now + patience
        }
        for time in [headDue, bodyDue] { if let time { look(at: time, loop, channel) } }
    }

    private func awaitHead(_ context: ChannelHandlerContext, within time: TimeAmount) {
        let due = NIODeadline.now() + time
        headDue = due
        look(at: due, context.eventLoop, context.channel)
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
        endWaiting()
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
        if bodyDue != nil, waitingSince == nil { waitingSince = .now() }
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            headDue = nil
            unanswered += 1
            let now = NIODeadline.now()
            (bytesReceived, waited, waitingSince) = (0, .zero, now)
            bodyDue = now + patience
            look(at: now + patience, context.eventLoop, context.channel)
        case .body(let bytes): bytesReceived += bytes.readableBytes
        case .end: (bodyDue, waitingSince) = (nil, nil)
        }
        context.fireChannelRead(data)
    }

    private func endWaiting() {
        guard let since = waitingSince else { return }
        waitingSince = nil
        waited = waited + (.now() - since)
    }

    /// Whether less than `stallBytesMin` came since the last look, although the server mostly waited for it.
    private func isStalled() -> Bool {
        let isWaiting = waitingSince != nil
        endWaiting()
        let isStalled = bytesReceived < ServerLimits.stallBytesMin && waited.nanoseconds >= patience.nanoseconds / 2
        (bytesReceived, waited, waitingSince) = (0, .zero, isWaiting ? .now() : nil)
        return isStalled
    }
}
