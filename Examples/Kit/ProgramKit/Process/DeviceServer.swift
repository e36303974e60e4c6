//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Serves the screens of an app to one browser on this machine.
///
/// ```swift
/// try await DeviceServer(app).run(port: 0) { url in print("geopix is at \(url)") }
/// ```
public final class DeviceServer: Sendable {
    /// The maximum number of connections. It is sufficient for one browser with several tabs.
    private static let connectionsMax = 64
    private static let idleSecondsMax = 120

    private let app: any DeviceApp

    /// Creates a server, which does not listen yet.
    public init(_ app: any DeviceApp) { self.app = app }

    /// Serves until the task is cancelled. Signals of the system do not stop it: ``DeviceProgram`` handles them.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for a free one.
    ///   - onReady: A closure that is called with the address for the browser. The address contains a secret.
    /// - Throws: ``DeviceError`` with code ``DeviceKit/DeviceError/Code/inUse`` if the port cannot be used.
    public func run(port: Int, onReady: @escaping @Sendable (String) -> Void) async throws {
        let access = Mutex<DeviceAccess?>(nil)
        let app = app
        let responder: HTTPChannelHandler.Responder = { request, writer, _ in
            guard let access = access.withLock({ $0 }) else { return }
            try await DeviceResponder(app: app, access: access).respond(to: request, writer)
        }
        var logger = Logger(label: app.name) { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .error
        let server = Server(
            childChannelSetup: HTTP1Channel(
                responder: responder,
                configuration: .init(idleTimeout: .seconds(Int64(DeviceServer.idleSecondsMax)))),
            configuration: ServerConfiguration(
                address: .hostname("127.0.0.1", port: port),
                availableConnectionsDelegate: .maximum(DeviceServer.connectionsMax, logger: logger)),
            onServerRunning: { channel in
                let created = DeviceAccess(port: channel.localAddress?.port ?? port)
                access.withLock { $0 = created }
                onReady("http://127.0.0.1:\(created.port)/?key=\(created.key)")
            },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
        do {
            try await server.run()
        } catch let error as IOError {
            let isTaken = error.errnoCode == EADDRINUSE
            throw DeviceError(
                .inUse,
                "The port \(port) \(isTaken ? "is used by another program" : "cannot be used: \(error)"). Choose another one.",
                cause: error)
        }
    }
}
