//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import TestKit
import Testing

@testable import GodwitServer

@Suite("Accepted connections", .endsWhenHung)
struct AcceptedConnectionsTests {
    @Test(
        "A connection that a stopping server accepted but never served is closed, without effect on others",
        arguments: [true, false])
    func neverServed(whenActive: Bool) async throws {
        let logger = Logger(label: "test")
        let connections = AcceptedConnections(of: HTTP1Channel { _, _, _ in })
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0) { channel in
            connections.setup(channel: channel, logger: logger)
        }
        let address = try #require(server.channel.localAddress)
        let client = try await ClientBootstrap(group: group).connect(to: address).get()
        try await server.executeThenClose { inbound in
            for try await connection in inbound {
                if whenActive { try await eventually { connection.channel.isActive } }
                break
            }
        }
        // The connection was released without being served. The other end notices that it is closed.
        try await client.closeFuture.get()
    }
}
