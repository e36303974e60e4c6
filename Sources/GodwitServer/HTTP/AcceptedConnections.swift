//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitThreads
import HummingbirdCore
import Logging
import NIOCore

// For `TCP_NOTSENT_LOWAT`.
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Connections of which none is dropped without an end, and none takes much of the system's memory.
///
/// A server that stops takes no connection out of its queue any more. SwiftNIO ends the process when one that waits there
/// is let go without having been served (swift-nio#2637), so those are closed first, and then served, which ends at once.
struct AcceptedConnections<Served: ServerChildChannel>: ServerChildChannel {
    private let served: Served

    init(of served: Served) { self.served = served }

    /// A connection that is to be served once.
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

    /// Lets the system keep little of an answer that its client does not take: left alone it keeps 4 MB for each. What is on
    /// its way to the client does not count, so that nobody gets it slower.
    private func boundUnsentBytes(of channel: any Channel) {
        let option = ChannelOptions.tcpOption(NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT))
        // It fails when the connection is gone already.
        channel.setOption(option, value: ServerLimits.unsentSystemBytesMax).whenFailure { _ in }
    }
}
