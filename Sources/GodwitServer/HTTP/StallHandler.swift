//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Cuts off who reads or writes too slowly, and keeps little in memory for them meanwhile.
///
/// A connection whose buffer of unsent bytes stays full, and one whose request's body does not come on although the server
/// waits for it, is closed after `stallSecondsMax`. It costs a fast client nothing but two comparisons.
final class StallHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let patience: TimeAmount
    /// Closes the connection unless its buffer empties before.
    private var sending: Scheduled<Void>?
    /// Looks, time and again, whether a body came on.
    private var receiving: RepeatedTask?
    private var bytesReceived = 0
    /// Whether the server waits for more of the body.
    private var isReading = false
    private var readingSince = NIODeadline.now()

    init(limits: ServerLimits) { patience = .seconds(Int64(limits.stallSecondsMax)) }

    func handlerAdded(context: ChannelHandlerContext) {
        // A stream of HTTP/2 has windows in place of a buffer, and ends the process when it is given a mark.
        guard context.channel is any SocketOptionProvider else { return }
        let mark = ChannelOptions.Types.WriteBufferWaterMark(
            low: ServerLimits.unsentBytesMax / 2, high: ServerLimits.unsentBytesMax)
        // It fails when the connection is gone already.
        context.channel.setOption(.writeBufferWaterMark, value: mark).whenFailure { _ in }
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    private func stop() {
        sending?.cancel()
        receiving?.cancel()
        (sending, receiving) = (nil, nil)
    }

    // MARK: Slow readers

    func channelReadComplete(context: ChannelHandlerContext) {
        // What was asked for came; the server asks again when it wants more.
        isReading = false
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        sending?.cancel()
        sending = nil
        if !context.channel.isWritable {
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
