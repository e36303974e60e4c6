//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose client reads or writes too slowly, and limits the memory for such connections. Reports a
/// request whose body ends early.
///
/// A connection is closed after `stallSecondsMax` in these cases:
/// - The connection's buffer of unsent bytes is full and does not become empty.
/// - The server waits for the body of a request, and the body makes no progress.
/// - The head of the connection's first request is incomplete.
///
/// A connection is closed after `idleConnectionSecondsMax` if the head of a further request is still incomplete.
///
/// To set a timer takes more time than to read the clock. Therefore a timer is not set again when the next deadline
/// becomes later. When the timer fires before the deadline, it is set to the deadline.
final class StallHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let stallLimit: TimeAmount
    private let idleLimit: TimeAmount
    /// The time at which the connection is closed if the head of the next request has not arrived by then; `nil` while
    /// a request is being handled.
    private var headDue: NIODeadline?
    /// The time at which the progress of a request's body is checked; `nil` while no body is expected.
    private var bodyDue: NIODeadline?
    /// The timer. It never fires later than the earlier of `headDue` and `bodyDue`.
    private var alarm: (task: Scheduled<Void>, time: NIODeadline)?
    /// The number of requests whose response is not yet sent. A client may send several requests ahead (pipelining).
    private var unansweredCount = 0
    /// The timer that closes the connection. It is cancelled if the buffer becomes empty before the timer fires.
    private var writeTimer: Scheduled<Void>?
    /// Succeeds when the buffer empties, or when the connection ends.
    private var writablePromise: EventLoopPromise<Void>?
    /// The number of bytes of the body that arrived since the last check.
    private var bytesReceived = 0
    /// The time for which the server waited for body bytes since the last check.
    private var waitedTime = TimeAmount.zero
    /// The time since which the server waits for more of the body; `nil` while it does not wait.
    private var waitingSince: NIODeadline?

    /// A function that is called once or twice when the client disconnects. It is not called if the client disconnects
    /// before the body is complete. In that case, the reader of the body gets an error.
    private let onClientGone: @Sendable (any Channel) -> Void

    init(limits: ServerLimits, onClientGone: @escaping @Sendable (any Channel) -> Void = { _ in }) {
        self.onClientGone = onClientGone
        stallLimit = .seconds(Int64(limits.stallSecondsMax))
        idleLimit = .seconds(Int64(limits.idleConnectionSecondsMax))
    }

    func handlerAdded(context: ChannelHandlerContext) {
        awaitHead(context, within: stallLimit)
        // A stream of HTTP/2 has flow-control windows instead of a buffer with marks. To set a mark on such a stream
        // would terminate the process.
        guard context.channel is any SocketOptionProvider else { return }
        let mark = ChannelOptions.Types.WriteBufferWaterMark(
            low: 1, high: ServerLimits.unsentBytesMax)
        // An error is ignored, because the connection may already have ended.
        context.channel.setOption(.writeBufferWaterMark, value: mark).whenFailure { _ in }
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        // The decoder of HTTP/1 reports an incomplete body. When a connection of HTTP/2 ends, its streams report no
        // error, and the bytes that arrived would be treated as the complete body.
        if bodyDue == nil { onClientGone(context.channel) } else { context.fireErrorCaught(IncompleteBody()) }
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client may have closed its connection, or only its sending side. The server could distinguish these cases
        // only by sending something. Therefore both are treated as a disconnect.
        if case .inputClosed? = event as? ChannelEvent, bodyDue == nil { onClientGone(context.channel) }
        context.fireUserInboundEventTriggered(event)
    }

    private func stop() {
        alarm?.task.cancel()
        writeTimer?.cancel()
        (alarm, writeTimer) = (nil, nil)
        // A writer that waits for the promise now continues. It gets an error when it writes.
        writablePromise?.succeed()
        writablePromise = nil
    }

    // MARK: Deadlines

    /// Sets the timer to a time. Does nothing if the timer will already fire at that time or earlier.
    private func setAlarm(at time: NIODeadline, _ loop: any EventLoop, _ channel: any Channel) {
        if let alarm, alarm.time <= time { return }
        alarm?.task.cancel()
        let bound = NIOLoopBound(self, eventLoop: loop)
        alarm = (loop.scheduleTask(deadline: time) { bound.value.checkDeadlines(loop, channel) }, time)
    }

    private func checkDeadlines(_ loop: any EventLoop, _ channel: any Channel) {
        alarm = nil
        let now = NIODeadline.now()
        if let headDue, headDue <= now { return channel.close(promise: nil) }
        if let bodyDue, bodyDue <= now {
            if isStalled() { return channel.close(promise: nil) }
            self.bodyDue = now + stallLimit
        }
        for time in [headDue, bodyDue] { if let time { setAlarm(at: time, loop, channel) } }
    }

    private func awaitHead(_ context: ChannelHandlerContext, within time: TimeAmount) {
        let due = NIODeadline.now() + time
        headDue = due
        setAlarm(at: due, context.eventLoop, context.channel)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            unansweredCount -= 1
            if unansweredCount == 0 { awaitHead(context, within: idleLimit) }
        }
        context.write(data, promise: promise)
    }

    // MARK: Slow readers

    func channelReadComplete(context: ChannelHandlerContext) {
        // The requested bytes arrived. The server reads again when it needs more.
        endWaiting()
        context.fireChannelReadComplete()
    }

    /// Returns a future that succeeds when a connection accepts more bytes or has ended. Call it on the connection's
    /// event loop.
    static func whenWritable(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard !channel.isWritable, let handler = try? channel.pipeline.syncOperations.handler(type: StallHandler.self)
        else { return channel.eventLoop.makeSucceededVoidFuture() }
        let writablePromise = handler.writablePromise ?? channel.eventLoop.makePromise()
        handler.writablePromise = writablePromise
        return writablePromise.futureResult
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        writeTimer?.cancel()
        writeTimer = nil
        if context.channel.isWritable {
            writablePromise?.succeed()
            writablePromise = nil
        } else {
            let channel = context.channel
            writeTimer = context.eventLoop.scheduleTask(in: stallLimit) { channel.close(promise: nil) }
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
            unansweredCount += 1
            let now = NIODeadline.now()
            (bytesReceived, waitedTime, waitingSince) = (0, .zero, now)
            bodyDue = now + stallLimit
            setAlarm(at: now + stallLimit, context.eventLoop, context.channel)
        case .body(let bytes): bytesReceived += bytes.readableBytes
        case .end: (bodyDue, waitingSince) = (nil, nil)
        }
        context.fireChannelRead(data)
    }

    private func endWaiting() {
        guard let since = waitingSince else { return }
        waitingSince = nil
        waitedTime = waitedTime + (.now() - since)
    }

    /// Whether the body made no progress: fewer than `stallBytesMin` bytes arrived since the last check, although the
    /// server waited for them at least half of the time.
    private func isStalled() -> Bool {
        let isWaiting = waitingSince != nil
        endWaiting()
        let isStalled =
            bytesReceived < ServerLimits.stallBytesMin && waitedTime.nanoseconds >= stallLimit.nanoseconds / 2
        (bytesReceived, waitedTime, waitingSince) = (0, .zero, isWaiting ? .now() : nil)
        return isStalled
    }
}
