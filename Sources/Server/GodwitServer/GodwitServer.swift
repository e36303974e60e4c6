//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitStore
import GodwitViews
import HTTPTypes
import HummingbirdCore
import HummingbirdHTTP2
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle

/// A server that makes the databases of one manager available over CouchDB's HTTP API.
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
/// The server stops when its task is cancelled. If the server is a service in a `ServiceGroup`, it stops gracefully
/// together with the group. To run a server as a program with the flags of `godwit serve`, use `GodwitHost`. If the
/// manager has no scripts and you need geospatial indexes, call `GeospatialQueries.enable()` of `GodwitPlaces` before
/// you open the manager.
public struct GodwitServer: Service {
    /// The address on which a server listens.
    public struct Address: Sendable {
        /// A host name or address. The default accepts only connections from this machine.
        public var host: String
        /// The port; 0 for any free port.
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
    private let backups: String?
    private let address: Address
    private let certificate: Certificate?
    private let limits: ServerLimits
    private let logger: Logger
    private let accessLog: Logger?
    private let onListening: @Sendable (_ port: Int) -> Void

    /// Creates a server. ``run()`` starts it.
    ///
    /// - Parameters:
    ///   - manager: The databases.
    ///   - administrators: The administrators of the server.
    ///   - address: The address to listen on.
    ///   - certificate: The certificate for TLS. With a certificate, the server also supports HTTP/2. If it is `nil`,
    ///     the server uses unencrypted HTTP/1.1.
    ///   - modules: Modules with further routes.
    ///   - tiles: A file of tiles that are drawn above the base map of the world; `nil` for none.
    ///   - backups: The directory of the backups of all databases; `nil` if no backups are made.
    ///   - limits: The limits of requests and responses.
    ///   - logger: The log of failures, logins and changes of rights.
    ///   - accessLog: The log with a line for each request; `nil` for no such log.
    ///   - onListening: A closure that is called with the port when the server accepts requests.
    public init(
        manager: DatastoreManager, administrators: Administrators,
        address: Address, certificate: Certificate? = nil, modules: [any ServerModule] = [],
        tiles: TileFile? = nil, backups: String? = nil,
        limits: ServerLimits = ServerLimits(), logger: Logger, accessLog: Logger? = nil,
        onListening: @escaping @Sendable (_ port: Int) -> Void = { _ in }
    ) {
        self.manager = manager
        self.administrators = administrators
        self.modules = modules
        self.tiles = tiles
        self.backups = backups
        self.address = address
        self.certificate = certificate
        self.limits = limits
        self.logger = logger
        self.accessLog = accessLog
        self.onListening = onListening
    }

    /// Serves until the task is cancelled or a graceful shutdown begins. A graceful shutdown ends all feeds, and waits
    /// until other requests have ended. Requests that still run after five seconds are cancelled. If the task is
    /// cancelled, all requests are cancelled.
    ///
    /// - Throws: An `IOError` when the address cannot be bound; errors of reading settings and starting modules. If a
    ///   system database cannot be opened, no error is thrown, but the failure is logged.
    public func run() async throws {
        let server = try await prepare()
        let workTask = Task { await server.work() }
        do {
            try await withGracefulShutdownHandler {
                try await listen(answering: server)
            } onGracefulShutdown: { [manager] in
                workTask.cancel()
                manager.endFeeds()
                server.cancelBeforeStop()
            }
        } catch {
            await GodwitServer.end(workTask)
            await server.stop()
            throw error
        }
        await GodwitServer.end(workTask)
        await server.stop()
    }

    /// Opens the system databases, reads the settings, and starts the modules. Call this method only once for each
    /// server.
    ///
    /// - Returns: The server without a listener.
    /// - Throws: Errors of reading the settings, and of starting a module.
    package func prepare() async throws -> PreparedServer {
        reportDamage()
        await keepReserve()
        let context = try await context(Statistics())
        let allModules = context.modules(tiles: tiles, backups: backups) + modules
        let server = PreparedServer(context: context, modules: allModules, accessLog: accessLog)
        try await server.start()
        return server
    }

    /// Logs damage that is found in databases, and databases whose files were replaced by older copies.
    private func reportDamage() {
        manager.rollbacks.observe { [logger] database in
            logger.warning(
                "the file of a database is older than it was: it was copied back. The database begins a new epoch, so that clients read the changes after this state again; use godwit restore instead of copies",
                metadata: ["database": "\(database)"])
        }
        manager.damages.observe { [logger] report in
            logger.error(
                "a database is damaged: it accepts no writes until the server restarts. Restore it from a backup",
                metadata: ["database": "\(report.database)", "found": "\(report.finding)"])
        }
    }

    /// Reserves disk space, which is used to delete documents when the disk is full. Logs a message when the disk
    /// becomes full, and another one when it has space again.
    private func keepReserve() async {
        let full: Logger.Message = "the disk is full: writes are refused; documents can be read, databases deleted"
        let hasCapacity = await manager.keepReserve { [logger] hasCapacity in
            if hasCapacity {
                logger.notice("the disk has space again: writes are accepted")
            } else {
                logger.error(full)
            }
        }
        if !hasCapacity { logger.error(full) }
    }

    /// Accepts connections until the task is cancelled or a graceful shutdown begins.
    private func listen(answering prepared: PreparedServer) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await listen(
                    on: address, prepared, usesWebSockets: modules.contains(where: \.usesWebSockets), prepared.respond
                ) { port in
                    administrators.warnOfWeakness(to: logger)
                    onListening(port)
                }
            }
            for (listener, respond) in prepared.responses {
                group.addTask {
                    do {
                        try await listen(
                            on: listener.address, prepared, usesWebSockets: false, respond,
                            onListening: listener.onListening)
                    } catch let error as IOError {
                        throw ModuleListener.Failure(
                            address: listener.address, option: listener.option, cause: error)
                    }
                }
            }
            // The first error ends all listeners.
            while try await group.next() != nil {}
        }
    }

    /// Accepts connections on one address.
    private func listen(
        on address: Address, _ prepared: PreparedServer, usesWebSockets: Bool,
        _ responder: @escaping HTTPChannelHandler.Responder, onListening: @escaping @Sendable (_ port: Int) -> Void
    ) async throws {
        // The addresses share the files that are left for connections.
        let filesLeft = FileLimit.connectionsMax(databasesOpenMax: manager.limits.databasesOpenMax)
        let connectionsMax = max(min(limits.connectionsMax, filesLeft / (1 + prepared.responses.count)), 1)
        let connection = HTTP1Channel.Configuration(
            additionalChannelHandlers: (usesWebSockets ? [WebSocketSwitch()] : []) + [
                PersistenceHandler(), StallHandler(limits: limits) { prepared.connectionEnded($0) },
            ],
            idleTimeout: .seconds(Int64(limits.idleConnectionSecondsMax)))
        guard let certificate else {
            return try await listen(
                on: address, HTTP1Channel(responder: responder, configuration: connection), connectionsMax, onListening)
        }
        let configuration = HTTP2ChannelConfiguration(
            idleTimeout: .seconds(limits.idleConnectionSecondsMax), streamConfiguration: connection)
        let channel = try HTTP2UpgradeChannel(
            tlsConfiguration: certificate.configuration, configuration: configuration, responder: responder)
        try await listen(on: address, channel, connectionsMax, onListening)
    }

    private func listen(
        on address: Address, _ channel: some ServerChildChannel, _ connectionsMax: Int,
        _ onListening: @escaping @Sendable (Int) -> Void
    ) async throws {
        var quietLogger = logger
        quietLogger.logLevel = .error
        let server = Server(
            childChannelSetup: AcceptedConnections(of: channel),
            configuration: ServerConfiguration(
                address: .hostname(address.host, port: address.port),
                availableConnectionsDelegate: .maximum(connectionsMax, logger: quietLogger)),
            onServerRunning: { onListening($0.localAddress?.port ?? 0) },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quietLogger)
        try await server.run()
    }

    private static func end(_ workTask: Task<Void, Never>) async {
        workTask.cancel()
        await workTask.value
    }

    /// Opens a database that every CouchDB server has, or creates it. If this fails, logs an error and returns `nil`.
    /// Administrators can nevertheless log in, delete the database, and restore it from a backup.
    private func openSystemDatabase(_ name: String) async -> Datastore? {
        do {
            return try await manager.datastore(named: name)
        } catch {
            logger.error(
                "a database of the server cannot be opened. Delete it, and restore it from a backup",
                metadata: ["database": "\(name)", "cause": "\(error)"])
            return nil
        }
    }

    /// Creates the context of the handlers: reads the settings, and creates the databases that CouchDB has from the
    /// start.
    private func context(_ statistics: Statistics) async throws -> ServerContext {
        let users = await openSystemDatabase(UsersDatabase.name)
        do {
            if let users { try await UsersDatabase.addDesign(to: users) }
        } catch {
            // This error does not prevent the start, because the server works without the design document. For example,
            // the server must also start if the disk is full.
            logger.warning("the design document of _users could not be added", metadata: ["cause": "\(error)"])
        }
        let replications = await openSystemDatabase(ReplicatorDatabase.name)
        let settings = try await ServerSettings(
            keptBy: manager, limits: limits, scripts: try? (users ?? replications)?.scripts())
        let keys = KeyDirectory(manager: manager)
        let recorder = AuditRecorder(manager: manager, settings: settings, logger: logger)
        let audit = AuditLog(logger: logger, recorder: recorder)
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
            manager: manager, fixedLimits: limits, settings: settings, administrators: administrators,
            keys: keys, securities: securities, rightsChanges: rightsChanges, gatekeeper: gatekeeper,
            databases: DatabaseOpener(manager: manager, gatekeeper: gatekeeper), work: RequestWork(settings: settings),
            openRequests: OpenRequests(), statistics: statistics, logger: logger,
            audit: audit, recorder: recorder,
            reservedNames: modules.reduce(into: [:]) { names, module in
                for (name, conditions) in module.reservedNames {
                    names[name] = ReservedName(module: module.name, conditions: conditions)
                }
            }, homePage: modules.lazy.compactMap(\.homePage).first,
            consolePages: modules.flatMap(\.consolePages))
    }
}
