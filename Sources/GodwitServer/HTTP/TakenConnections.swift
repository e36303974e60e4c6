//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitThreads
import HummingbirdCore
import Logging
import NIOCore

/// Connections of which none is dropped without an end.
///
/// A server that stops takes no connection out of its queue any more. SwiftNIO ends the process when one that waits there
/// is let go without having been served (swift-nio#2637), so those are closed first, and then served, which ends at once.
struct TakenConnections<Served: ServerChildChannel>: ServerChildChannel {
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
        return served.setup(channel: channel, logger: logger).map { value in
            Value(value, logger: logger) { await served.handle(value: $0, logger: $1) }
        }
    }

    func handle(value: Value, logger: Logger) async { await value.serve(logger: logger) }
}
