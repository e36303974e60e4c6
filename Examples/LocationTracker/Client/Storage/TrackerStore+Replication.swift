//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient
import GodwitClientNIO
import GodwitJSON
import GodwitSync

extension TrackerStore {
    /// Which way locations go.
    public enum Direction: Sendable {
        /// To the server.
        case push
        /// From it.
        case pull
    }

    /// How often a step is tried before a replication gives up: the next location asks for another one.
    private static let attemptsMax = 3
    private static let retrySecondsMax = 2.0
    private static let requestSecondsMax = 60

    /// A lane on which locations go to the user's database, or come from it.
    ///
    /// - Parameters:
    ///   - direction: Which way.
    ///   - account: Whose database it is.
    ///   - agent: What names the app to the server.
    ///   - onEvent: Told of each step.
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/badAnswer`` when the account's address is none.
    public func lane(
        _ direction: Direction, account: TrackerAccount, agent: TrackerAgent = TrackerAgent(),
        onEvent: @escaping @Sendable (ReplicationLane.Event) -> Void = { _ in }
    ) throws(TrackerError) -> ReplicationLane {
        var limits = ReplicationLimits()
        limits.attemptsMax = TrackerStore.attemptsMax
        limits.retrySecondsMax = TrackerStore.retrySecondsMax
        limits.requestSecondsMax = TrackerStore.requestSecondsMax
        do throws(ReplicationError) {
            let remote = RemoteEndpoint(
                try RemoteURL(account.databaseURL), credentials: account.credentials, interceptor: agent.interceptor,
                limits: limits, transport: AsyncHTTPTransport())
            // Locations alone: indexes and their design documents are each side's own.
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
