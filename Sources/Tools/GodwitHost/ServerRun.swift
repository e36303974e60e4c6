//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
package import GodwitServer
package import GodwitStore
import Logging
import ServiceLifecycle
import UnixSignals

/// Runs a server until SIGINT or SIGTERM. At one of these signals, the server completes the requests in progress. It
/// cancels the requests that are not complete after a time limit. Then it closes the databases.
package struct ServerRun {
    private let manager: DatastoreManager
    private let administrators: Administrators
    private let address: GodwitServer.Address
    private let certificate: GodwitServer.Certificate?
    private let modules: [any ServerModule]
    private let tiles: TileFile?
    private let backups: String?
    private let portAdvice: String
    private let logs: LogOptions.Logs
    private let isSafe: Bool

    /// Creates a run of a server.
    ///
    /// - Parameters:
    ///   - manager: The manager of the databases.
    ///   - administrators: The administrators of the server.
    ///   - address: The address to listen on.
    ///   - certificate: The certificate for HTTPS; `nil` for HTTP.
    ///   - modules: Additional modules of the server.
    ///   - tiles: A file of tiles that are drawn above the base map of the world; `nil` for none.
    ///   - backups: The directory of the backups of all databases; `nil` if no backups are made.
    ///   - portAdvice: Advice on how to choose another port, for the message when the port is in use.
    ///   - logs: The logs of the server.
    ///   - isSafe: Whether the server does no background work: no replications of `_replicator`, no tasks of modules, no
    ///     builds of indexes.
    package init(
        manager: DatastoreManager, administrators: Administrators, address: GodwitServer.Address,
        certificate: GodwitServer.Certificate? = nil, modules: [any ServerModule] = [], tiles: TileFile? = nil,
        backups: String? = nil, portAdvice: String, logs: LogOptions.Logs = .standard, isSafe: Bool = false
    ) {
        self.isSafe = isSafe
        self.logs = logs
        self.manager = manager
        self.administrators = administrators
        self.address = address
        self.certificate = certificate
        self.modules = modules
        self.tiles = tiles
        self.backups = backups
        self.portAdvice = portAdvice
    }

    /// Opens a file of tiles.
    ///
    /// - Parameter path: The MBTiles file; `nil` for none.
    /// - Throws: ``CommandFailure`` when the file cannot be opened or is not an MBTiles file.
    package static func tileFile(_ path: String?) throws -> TileFile? {
        do {
            return try path.map { try TileFile(path: $0) }
        } catch let error as TileFileError {
            throw CommandFailure(message: error.description)
        }
    }

    /// Parses a port. An invalid port is a usage error.
    package static func port(_ text: String) throws -> Int {
        guard let number = Int(text), 0...65_535 ~= number else {
            throw ValidationError("a port must be a number from 0 to 65535.")
        }
        return number
    }

    /// Runs the server until it stops, and closes the databases.
    ///
    /// - Parameter onListening: A closure that begins when the server accepts requests, and runs concurrently with the
    ///   server. If the closure throws, the server stops. When the server begins to stop, the closure is cancelled.
    /// - Throws: ``CommandFailure`` when the server cannot listen on the address; the error of `onListening` or of the
    ///   server.
    package func run(onListening: @escaping @Sendable (_ port: Int) async throws -> Void) async throws {
        let logger = logs.server
        openJournal(logger)
        let (ports, portContinuation) = AsyncStream.makeStream(of: Int.self)
        let server = GodwitServer(
            manager: manager, administrators: administrators, address: address,
            certificate: certificate, modules: modules, tiles: tiles, backups: backups, logger: logger,
            accessLog: logs.access,
            onListening: { portContinuation.yield($0) })
        var quietLogger = logger
        quietLogger.logLevel = .critical
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(service: server),
                .init(
                    service: FirstPort(ports: ports, body: onListening),
                    failureTerminationBehavior: .gracefullyShutdownGroup),
            ], gracefulShutdownSignals: [.sigint, .sigterm], logger: quietLogger)
        configuration.maximumGracefulShutdownDuration = .seconds(ServerLimits.stopSecondsMax)
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch is CancellationError {
            // The time limit for requests in progress expired, and they were cancelled.
        } catch {
            await manager.close()
            throw ServerRun.explain(error, address: address, portAdvice: portAdvice)
        }
        await manager.close()
    }

    /// Opens the journal of background work. Logs the last words of the last process, and the works that are held.
    private func openJournal(_ logger: Logger) {
        let fault = manager.backgroundWork.open(directory: manager.directory, isSafe: isSafe)
        if let fault {
            let running = fault.running.joined(separator: ", ")
            if let signal = fault.signal {
                logger.critical(
                    "the server was ended by a fault",
                    metadata: [
                        "signal": "\(signal)", "functions": "\(fault.functions.joined(separator: ", "))",
                        "running": "\(running)",
                    ])
            } else {
                logger.notice(
                    "the server was ended from outside, or the power failed", metadata: ["running": "\(running)"])
            }
        }
        if isSafe { logger.warning("safe start: no background work runs, and no index is built") }
    }

    /// A service that waits for the port on which the server listens, runs its body with this port, and then waits for
    /// the server to stop.
    private struct FirstPort: Service {
        let ports: AsyncStream<Int>
        let body: @Sendable (Int) async throws -> Void

        func run() async throws {
            for await port in ports.cancelOnGracefulShutdown() {
                try await cancelWhenGracefulShutdown { try await body(port) }
            }
        }
    }

    static func explain(
        _ error: any Error, address: GodwitServer.Address, portAdvice: String
    ) -> any Error {
        if let failure = error as? ModuleListener.Failure {
            let advice = "Choose another with \(failure.option), or a free one with \(failure.option) 0."
            return explain(failure.cause, address: failure.address, portAdvice: advice)
        }
        guard let failure = GodwitServer.bindFailure(error) else { return error }
        switch failure {
        case .portInUse: return CommandFailure(message: "port \(address.port) is in use. \(portAdvice)")
        case .other(let reason):
            return CommandFailure(message: "\(address.host):\(address.port) cannot be used to listen: \(reason).")
        }
    }
}
