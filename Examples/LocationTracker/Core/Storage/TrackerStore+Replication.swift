//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
import GodwitJSON
import GodwitSync
import GodwitTransport

extension TrackerStore {
    /// The direction of a replication.
    public enum Direction: Sendable {
        /// To the server.
        case push
        /// From the server.
        case pull
    }

    /// The maximum number of attempts for each step of a replication. When all attempts of a step have failed, the
    /// replication fails. The next location then requests another replication.
    private static let attemptsMax = 3
    private static let retrySecondsMax = 2.0
    private static let requestSecondsMax = 60

    /// Creates a lane that replicates locations to the user's database, or from the user's database. A lane runs one
    /// replication at a time.
    ///
    /// - Parameters:
    ///   - direction: The direction.
    ///   - account: The account with the user's database.
    ///   - server: The client whose `User-Agent` and transport the requests have.
    ///   - onEvent: A closure that is called for each event.
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/badAnswer`` when the URL of the account's database is
    ///   invalid.
    public func lane(
        _ direction: Direction, account: TrackerAccount, server: TrackerServer,
        onEvent: @escaping @Sendable (ReplicationLane.Event) -> Void = { _ in }
    ) throws(TrackerError) -> ReplicationLane {
        var limits = ReplicationLimits()
        limits.attemptsMax = TrackerStore.attemptsMax
        limits.retrySecondsMax = TrackerStore.retrySecondsMax
        limits.requestSecondsMax = TrackerStore.requestSecondsMax
        do throws(ReplicationError) {
            let remote = RemoteEndpoint(
                try RemoteURL(account.databaseURL), credentials: account.credentials,
                interceptor: server.agent.interceptor,
                limits: limits, transport: server.transport)
            // Only locations are replicated, because the device and the server have different indexes and design
            // documents.
            let replicator = Replicator(
                direction == .push ? .push : .pull, locations, with: remote,
                selection: try .matching(["type": "Feature"]), limits: limits)
            return ReplicationLane(replicator, onEvent: onEvent)
        } catch {
            throw TrackerError(
                .badAnswer, "The address of the locations on the server cannot be used. Log in again.", cause: error)
        }
    }
}
