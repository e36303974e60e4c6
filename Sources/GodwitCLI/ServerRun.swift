//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitServer
import GodwitStore
import Logging
import ServiceLifecycle
import UnixSignals

/// Runs a server until SIGINT or SIGTERM, then finishes what is under way and closes the databases.
struct ServerRun {
    let manager: DatastoreManager
    let administrators: Administrators
    var address: GodwitServer.Address
    var modules: [any ServerModule] = []
    /// How another port is chosen, for the message when this one is taken.
    let portAdvice: String

    /// Serves.
    ///
    /// - Parameter onListening: Run beside the server as soon as it takes requests.
    func run(onListening: @escaping @Sendable (_ port: Int) async -> Void) async throws {
        var logger = Logger(label: "godwit") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .notice
        let server = GodwitServer(
            manager: manager, administrators: administrators, address: address, modules: modules, logger: logger,
            onListening: onListening)
        var quiet = logger
        quiet.logLevel = .error
        var configuration = ServiceGroupConfiguration(
            services: [server], gracefulShutdownSignals: [.sigint, .sigterm], logger: quiet)
        configuration.maximumGracefulShutdownDuration = .seconds(ServerLimits.stopSecondsMax)
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch is CancellationError {
            // The time for finishing was over; what was under way was cut.
        } catch {
            await manager.close()
            throw ServerRun.explain(error, address: address, portAdvice: portAdvice)
        }
        await manager.close()
    }

    private static func explain(
        _ error: any Error, address: GodwitServer.Address, portAdvice: String
    ) -> any Error {
        guard let failure = GodwitServer.bindFailure(error) else { return error }
        switch failure {
        case .portInUse: return CommandFailure(message: "port \(address.port) is in use. \(portAdvice)")
        case .other(let words):
            return CommandFailure(message: "\(address.host):\(address.port) cannot be listened on: \(words).")
        }
    }
}
