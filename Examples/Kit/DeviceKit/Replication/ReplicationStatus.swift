//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSync
import GodwitTransport

/// The status of replications in one direction, in words for the user.
public struct ReplicationStatus: Equatable, Sendable {
    /// The text: `Replication Started`, `Replication n/m`, `Replication Error` or `Replication Complete`. It is empty
    /// before the first event and the first call of ``fail(_:)``.
    public private(set) var text = ""
    /// Whether a replication is running.
    public private(set) var isRunning = false
    /// The reason for the last failure; `nil` before the first failure, and after a replication without failures.
    public private(set) var reason: String?

    /// Creates the status before the first replication.
    public init() {}

    /// Updates the status after an event.
    public mutating func take(_ event: ReplicationLane.Event) {
        switch event {
        case .began: (text, isRunning) = ("Replication Started", true)
        case .step(.progress(let progress)) where progress.changesTotal > 0:
            text = "Replication \(progress.changesDone)/\(progress.changesTotal)"
        case .step(.failure(let failure)): reason = failure.reason
        case .step: break
        case .ended(.success(let report)) where report.failures.isEmpty:
            (text, isRunning, reason) = ("Replication Complete", false, nil)
        case .ended(.success(let report)): end(report.failures[0].reason)
        case .ended(.failure(let error)): end(ReplicationStatus.words(for: error))
        }
    }

    /// The reason of a failure for the user, without addresses and status codes.
    private static func words(for error: ReplicationError) -> String {
        switch error.code {
        case .network: "The server cannot be reached."
        case .untrusted: "The server's certificate is not trusted."
        case .unauthorized: "The server refuses the request. Sign in again."
        case .databaseNotFound: "The server does not have this application."
        case .store: "The data of this device cannot be read or written."
        default: "The server cannot answer now. The app tries again."
        }
    }

    /// Records a failure that did not occur in a replication.
    public mutating func fail(_ reason: String) { end(reason) }

    private mutating func end(_ reason: String) {
        (text, isRunning, self.reason) = ("Replication Error", false, reason)
    }
}
