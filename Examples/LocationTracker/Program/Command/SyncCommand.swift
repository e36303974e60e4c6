//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import DeviceKit
import GodwitClientNIO
import GodwitDatabase
import GodwitHost
import LocationTrackerClient

/// The `location-tracker sync` command: pushes and pulls locations.
struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Push the locations of this device, and pull those of other devices.")

    @OptionGroup var dataOption: DataOption

    func run() async throws {
        let (session, account) = try await Device(dataOption).resume()
        let store = try await session.openStore(of: account)
        do {
            let pushed = try await replicate(.push, store, account)
            let pulled = try await replicate(.pull, store, account)
            CommandText.printLine("Pushed \(pushed.locations), pulled \(pulled.locations).")
            let total = try await store.locations.count(["created_at": ["$gt": 0]])
            CommandText.printLine("\(total.locations) here.")
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    /// Runs a replication in one direction.
    ///
    /// - Returns: The number of locations that were replicated.
    private func replicate(
        _ direction: TrackerStore.Direction, _ store: TrackerStore, _ account: TrackerAccount
    ) async throws -> Int {
        let lane = try store.lane(
            direction, account: account, server: TrackerServer(account.serverURL, transport: AsyncHTTPTransport()))
        await lane.request()
        guard let outcome = await lane.settled() else { return 0 }
        let report: ReplicationReport
        do throws(ReplicationError) {
            report = try outcome.get()
        } catch {
            throw failure(error, account)
        }
        if let failure = report.failures.first {
            throw TrackerError(.refused, "A location was not replicated: \(failure.reason)")
        }
        return report.counts.documentsWritten
    }

    private func failure(_ error: ReplicationError, _ account: TrackerAccount) -> TrackerError {
        switch error.code {
        case .network:
            TrackerError(
                .unreachable,
                "\(account.serverURL) cannot be reached. The locations are stored on this device; try again later.",
                cause: error)
        case .unauthorized:
            TrackerError(.refused, "The server refuses this device. Log in again.", cause: error)
        default: TrackerError(.serverFailed, error.message, cause: error)
        }
    }
}

extension Int {
    /// The number with the noun `location`.
    fileprivate var locations: String { self == 1 ? "1 location" : "\(self) locations" }
}
