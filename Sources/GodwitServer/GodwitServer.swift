//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitScript
public import GodwitStore
import HTTPTypes
import HummingbirdCore
import HummingbirdHTTP2
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle

/// Serves the databases of one manager over CouchDB's HTTP API.
///
/// ```swift
/// let manager = try DatastoreManager(directory: "data")
/// let administrators = Administrators(name: "admin", password: password)
/// let server = GodwitServer(
///     manager: manager, administrators: administrators, address: .init(port: 5984), logger: Logger(label: "server"))
/// try await server.run()
/// await manager.close()
/// ```
///
/// It stops when the task is cancelled, or gracefully as a service of a `ServiceGroup`. `GodwitHost` makes a program of it with the
/// flags of `godwit serve`. A manager without scripts keeps geospatial indexes only if `GeospatialQueries.enable()` of `GodwitPlaces`
/// was called before it was opened.
public struct GodwitServer: Service {
    /// Where a server listens.
    public struct Address: Sendable {
        /// A host name or address; only this machine by default.
        public var host: String
        /// A port; 0 takes a free one.
        public var port: Int

        /// Creates an address.
        public init(host: String = "127.0.0.1", port: Int = 5984) {
            self.host = host
            self.port = port
        }
    }

    private let manager: DatastoreManager
    private let administrators: Administrators
    private let modules: [any ServerModule]
    private let tiles: TileFile?
    private let address: Address
    private let certificate: Certificate?
    private let limits: ServerLimits
    private let logger: Logger
    private let accessLog: Logger?
    private let onListening: @Sendable (_ port: Int) -> Void

    /// Creates a server; ``run()`` starts it.
    ///
    /// - Parameters:
    ///   - manager: The databases.
    ///   - administrators: Who may use them.
    ///   - address: Where to listen.
    ///   - certificate: What it proves itself with over TLS, with HTTP/2; without one it speaks HTTP/1.1 in the clear.
    ///   - modules: Further routes.
    ///   - tiles: The base map of maps.
    ///   - limits: The limits of requests and answers.
    ///   - logger: Where failures, and what happens to rights and logins, are written.
    ///   - accessLog: Where a line for each request is written; `nil` for nowhere.
    ///   - onListening: Told the port when requests are taken.
    public init(
        manager: DatastoreManager, administrators: Administrators,
        address: Address, certificate: Certificate? = nil, modules: [any ServerModule] = [],
        tiles: TileFile? = nil,
        limits: ServerLimits = ServerLimits(), logger: Logger, accessLog: Logger? = nil,
        onListening: @escaping @Sendable (_ port: Int) -> Void = { _ in }
    ) {
        self.manager = manager
        self.administrators = administrators
        self.modules = modules
        self.tiles = tiles
        self.address = address
        self.certificate = certificate
        self.limits = limits
        self.logger = logger
        self.accessLog = accessLog
        self.onListening = onListening
    }

    /// Serves until the task is cancelled or asked to stop gracefully; then finishes what is under way.
    ///
    /// - Throws: An `IOError` when the address cannot be bound.
    public func run() async throws {
        let server = try await prepare()
        let work = Task { await server.work() }
        do {
            try await withGracefulShutdownHandler {
                try await listen(answering: server)
            } onGracefulShutdown: { [manager] in
                work.cancel()
                manager.endFeeds()
                server.cancelBeforeStop()
            }
        } catch {
            await GodwitServer.end(work)
            throw error
        }
        await GodwitServer.end(work)
    }

    /// Opens the databases of the server, reads its settings, and starts its modules.
    ///
    /// - Returns: The server as it answers requests, whatever takes them.
    /// - Throws: What keeps the server from starting.
    package func prepare() async throws -> PreparedServer {
        reportDamage()
        await keepReserve()
        let context = try await context(Statistics())
        let all = context.modules(tiles: tiles) + modules
        let server = PreparedServer(context: context, modules: all, accessLog: accessLog)
        for module in all { try await module.start(in: context.running) }
        return server
    }

    /// Writes what is found damaged to the log.
    private func reportDamage() {
        manager.damages.observe { [logger] report in
            logger.error(
                "a database is damaged: it takes no writes until the server starts again. Restore it from a backup",
                metadata: ["database": "\(report.database)", "found": "\(report.finding)"])
        }
    }

    /// Keeps room for deletions on the disk, and writes to the log when that is full.
    private func keepReserve() async {
        let full: Logger.Message = "the disk is full: documents are read, databases can be deleted, writes are refused"
        let hasRoom = await manager.keepReserve { [logger] hasRoom in
            if hasRoom { logger.notice("the disk has room again: writes go on") } else { logger.error(full) }
        }
        if !hasRoom { logger.error(full) }
    }

    /// Takes connections until the task is cancelled or asked to stop.
    private func listen(answering prepared: PreparedServer) async throws {
        let answer: HTTPChannelHandler.Responder = { request, writer, channel in
            try await prepared.respond(to: request, writer: writer, channel: channel)
        }
        let connection = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                PersistenceHandler(),
                StallHandler(limits: limits) { prepared.connectionEnded($0) },
            ],
            idleTimeout: .seconds(Int64(limits.idleConnectionSecondsMax)))
        guard let certificate else {
            return try await listen(HTTP1Channel(responder: answer, configuration: connection))
        }
        let configuration = HTTP2ChannelConfiguration(
            idleTimeout: .seconds(limits.idleConnectionSecondsMax), streamConfiguration: connection)
        try await listen(
            HTTP2UpgradeChannel(
                tlsConfiguration: certificate.configuration, configuration: configuration, responder: answer))
    }

    private func listen(_ channel: some ServerChildChannel) async throws {
        var quiet = logger
        quiet.logLevel = .error
        let server = Server(
            childChannelSetup: AcceptedConnections(of: channel),
            configuration: ServerConfiguration(
                address: .hostname(address.host, port: address.port),
                availableConnectionsDelegate: .maximum(limits.connectionsMax, logger: quiet)),
            onServerRunning: { [onListening, administrators, logger] channel in
                administrators.warnOfWeakness(to: logger)
                onListening(channel.localAddress?.port ?? 0)
            },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quiet)
        try await server.run()
    }

    private static func end(_ work: Task<Void, Never>) async {
        work.cancel()
        await work.value
    }

    /// A database that CouchDB has from the start; `nil` where it cannot be opened or made. Then the administrators of the
    /// configuration can still log in, delete it and restore it from a backup.
    private func opened(_ name: String) async -> Datastore? {
        do {
            return try await manager.datastore(named: name)
        } catch {
            logger.error(
                "a database of the server cannot be opened. Delete it, and restore it from a backup",
                metadata: ["database": "\(name)", "cause": "\(error)"])
            return nil
        }
    }

    /// What the handlers share: the settings are read, and the databases that CouchDB has from the start are there.
    private func context(_ statistics: Statistics) async throws -> ServerContext {
        let users = await opened(UsersDatabase.name)
        do {
            if let users { try await UsersDatabase.addDesign(to: users) }
        } catch {
            // Nothing depends on it: the server starts with a full disk as without it.
            logger.warning("the design document of _users could not be added", metadata: ["cause": "\(error)"])
        }
        let replications = await opened(ReplicatorDatabase.name)
        let settings = try await ServerSettings(keptBy: manager, scripts: try? (users ?? replications)?.scripts())
        let keys = KeyDirectory(manager: manager)
        let audit = AuditLog(like: logger)
        let rightsChanges = RightsChanges()
        let securities = SecurityObjects(manager: manager, settings: settings, changes: rightsChanges)
        let accounts = AccountDirectory(
            manager: manager, administrators: administrators, keys: keys,
            sources: modules.compactMap { $0 as? any AccountSource }, logger: logger)
        let gatekeeper = Gatekeeper(
            authenticator: Authenticator(
                accounts: accounts, settings: settings, isSecure: certificate != nil, audit: audit),
            settings: settings,
            securities: securities)
        return ServerContext(
            manager: manager, limits: limits, settings: settings, administrators: administrators,
            keys: keys, securities: securities, rightsChanges: rightsChanges, gatekeeper: gatekeeper,
            databases: DatabaseOpener(manager: manager, gatekeeper: gatekeeper), work: RequestWork(settings: settings),
            openRequests: OpenRequests(), statistics: statistics, logger: logger,
            audit: audit,
            reservedNames: modules.reduce(into: [:]) { names, module in
                for name in module.reservedNames { names[name] = module.name }
            })
    }
}
