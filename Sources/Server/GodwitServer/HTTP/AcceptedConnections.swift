//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import HummingbirdCore
import Logging
import NIOCore

// For `TCP_NOTSENT_LOWAT`.
/// Sets up the accepted connections of a server. Connections that are never served are closed, and the memory that the
/// system uses for each connection is limited.
///
/// When a server stops, some connections may still be in its queue. SwiftNIO terminates the process if such a
/// connection is deallocated before it was served (swift-nio#2637). Therefore these connections are closed and then
/// served. The service of a closed connection ends at once.
struct AcceptedConnections<Served: ServerChildChannel>: ServerChildChannel {
    private let served: Served

    init(of served: Served) { self.served = served }

    /// A connection that must be served once.
    final class Value: ServerChildChannelValue {
        private let value: Served.Value
        private let serve: @Sendable (Served.Value, Logger) async -> Void
        private let logger: Logger
        private let isServed = Mutex(false)

        var channel: any Channel { value.channel }

        fileprivate init(
            _ value: Served.Value, logger: Logger, serve: @escaping @Sendable (Served.Value, Logger) async -> Void
        ) {
            (self.value, self.logger, self.serve) = (value, logger, serve)
        }

        fileprivate func serve(logger: Logger) async {
            isServed.withLock { $0 = true }
            await serve(value, logger)
        }

        deinit {
            guard !isServed.withLock({ $0 }) else { return }
            value.channel.close(promise: nil)
            Task { [value, logger, serve] in await serve(value, logger) }
        }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let served = served
        boundUnsentBytes(of: channel)
        return served.setup(channel: channel, logger: logger).map { value in
            Value(value, logger: logger) { await served.handle(value: $0, logger: $1) }
        }
    }

    func handle(value: Value, logger: Logger) async { await value.serve(logger: logger) }

    /// Limits the bytes of a response in the system's buffer that are not yet sent. Without this limit, the buffer
    /// would contain 4 MB per slow client. Bytes that are sent but not yet acknowledged by the client do not count.
    /// Therefore the limit does not make responses slower.
    private func boundUnsentBytes(of channel: any Channel) {
        let option = ChannelOptions.tcpOption(NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT))
        // An error is ignored, because the connection may already have ended.
        channel.setOption(option, value: ServerLimits.unsentSystemBytesMax).whenFailure { _ in }
    }
}
