//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import Synchronization

/// A relay between a device and a server, with which a demo can interrupt their connection. It forwards TCP connections
/// from a port of this computer to the server's port. While the relay is closed, connections are refused.
public actor Relay {
    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private static let host = "127.0.0.1"

    private let target: Int
    private var port = 0
    private var work: Task<Void, Never>?

    /// Creates a closed relay.
    ///
    /// - Parameter target: The server's port.
    public init(to target: Int) { self.target = target }

    /// The URL of the relay. Before the first call of ``open()``, its port is 0. After this call, the URL never
    /// changes.
    public var url: String { "http://\(Relay.host):\(port)" }

    /// Starts to listen. Does nothing when the relay is open.
    ///
    /// - Throws: An error if another program uses the port of an earlier ``open()``.
    public func open() async throws {
        guard work == nil else { return }
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: Relay.host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    DeviceConnection(try Connection(wrappingChannelSynchronously: channel))
                }
            }
        port = listener.channel.localAddress?.port ?? port
        work = Task { [target] in await Relay.serve(listener, target) }
    }

    /// Stops listening and closes all connections.
    public func close() async {
        work?.cancel()
        await work?.value
        work = nil
    }

    private static func serve(_ listener: NIOAsyncChannel<DeviceConnection, Never>, _ target: Int) async {
        // An error is ignored: it also occurs when `close()` cancels the task.
        try? await listener.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
                for try await deviceConnection in connections {
                    // Errors of a connection are ignored here, because the device and the server notice them.
                    group.addTask { try? await relay(deviceConnection, target) }
                }
            }
        }
    }

    private static func relay(_ deviceConnection: DeviceConnection, _ target: Int) async throws {
        try await deviceConnection.serve { fromDevice, toDevice in
            let serverConnection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: host, port: target) { channel in
                    channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
                }
            try await serverConnection.executeThenClose { fromServer, toServer in
                try await withThrowingTaskGroup { group in
                    group.addTask { for try await bytes in fromDevice { try await toServer.write(bytes) } }
                    group.addTask { for try await bytes in fromServer { try await toDevice.write(bytes) } }
                    // When one direction of the connection has ended, the other direction is ended too.
                    try await group.next()
                    group.cancelAll()
                }
            }
        }
    }

    /// A connection of a device. When `close()` is called, some connections may not be served yet. SwiftNIO terminates
    /// the process if such a connection is released before it was served (swift-nio#2637). Therefore the connection is
    /// closed and then served. The service of a closed connection ends at once.
    private final class DeviceConnection: Sendable {
        private let connection: Connection
        private let isServed = Mutex(false)

        init(_ connection: Connection) { self.connection = connection }

        deinit {
            guard !isServed.withLock({ $0 }) else { return }
            connection.channel.close(promise: nil)
            Task { [connection] in try? await connection.executeThenClose { _, _ in } }
        }

        func serve(
            _ body: (NIOAsyncChannelInboundStream<ByteBuffer>, NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws
                -> Void
        ) async throws {
            isServed.withLock { $0 = true }
            try await connection.executeThenClose(body)
        }
    }
}
