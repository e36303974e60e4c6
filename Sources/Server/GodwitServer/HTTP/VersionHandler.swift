//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOHTTP1

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
