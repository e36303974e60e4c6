//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Logging

/// Writes events to the server's log, one event per line. The events are logins, refused requests, changes of rights,
/// of accounts and of settings, slow queries, and replications. The settings can enable the database `_audit`. All
/// these events except slow queries and replications are then also recorded in this database.
///
/// No line contains a secret, a document, or a value from a query. A line may contain names and paths, whose text a
/// client has chosen.
package struct AuditLog: Sendable {
    private let logger: Logger
    private let recorder: AuditRecorder?

    /// Creates an audit log.
    ///
    /// - Parameters:
    ///   - logger: The server's log, to which all events are written.
    ///   - recorder: The recorder that writes the events of logins, refusals and changes to a database; `nil` to write
    ///     these events only to the log.
    init(logger: Logger, recorder: AuditRecorder?) { (self.logger, self.recorder) = (logger, recorder) }

    /// Writes an event to the log and to the database.
    ///
    /// - Parameters:
    ///   - address: The address of the client that caused the event. `nil` for an action of an administrator, which
    ///     `countMax` does not limit.
    ///   - countMax: The maximum number of events of this kind per minute that are recorded for the client's network.
    private func note(
        _ level: Logger.Level, _ event: String, _ members: [(name: String, value: String)], from address: String? = nil,
        countMax: Int = ServerLimits.auditEventsPerMinute
    ) {
        logger.log(level: level, "\(event)", metadata: AuditLog.metadata(members))
        recorder?.record(event, members, from: address, countMax: countMax)
    }

    private static func metadata(_ members: [(name: String, value: String)]) -> Logger.Metadata {
        Logger.Metadata(members.map { ($0.name, "\($0.value)") }, uniquingKeysWith: { $1 })
    }

    // MARK: Logins and refusals

    /// - Parameter method: The method of the login: the name of the proof (a password, a second factor, a code or a
    ///   passkey), or the name of a provider.
    package func loggedIn(_ name: String, by method: String, from address: String) {
        note(.info, "login", [("name", name), ("method", method), ("address", address)], from: address)
    }

    func loginFailed(_ name: String, by method: String, from address: String) {
        note(
            .notice, "login failed", [("name", name), ("method", method), ("address", address)], from: address,
            countMax: ServerLimits.auditRefusalsPerMinute)
    }

    func lockedOut(_ name: String, from address: String) {
        note(.warning, "account locked for an address", [("name", name), ("address", address)], from: address)
    }

    func refused(_ method: String, _ path: String, _ response: ServerResponse, status: Int) {
        note(
            .notice, "access denied", AuditLog.members(of: method, path, response) + [("status", "\(status)")],
            from: response.peerAddress, countMax: ServerLimits.auditRefusalsPerMinute)
    }

    // MARK: Changes of rights and accounts

    /// Notes that a request changed rights or accounts.
    func changed(_ event: String, _ method: String, _ path: String, _ response: ServerResponse) {
        note(
            .notice, event, AuditLog.members(of: method, path, response),
            from: response.isOfAdministrator ? nil : response.peerAddress)
    }

    private static func members(
        of method: String, _ path: String, _ response: ServerResponse
    ) -> [(name: String, value: String)] {
        [
            ("method", method), ("path", path), ("by", response.principalName ?? ""),
            ("address", response.peerAddress), ("id", response.requestID),
        ]
    }

    func administratorSet(_ name: String, isNew: Bool, by principal: String?) {
        note(
            .warning, isNew ? "administrator added" : "administrator changed",
            [("name", name), ("by", principal ?? "")])
    }

    func administratorRemoved(_ name: String, by principal: String?) {
        note(.warning, "administrator removed", [("name", name), ("by", principal ?? "")])
    }

    func settingChanged(_ section: String, _ name: String, by principal: String?) {
        note(.notice, "setting changed", [("setting", "\(section)/\(name)"), ("by", principal ?? "")])
    }

    // MARK: Events of the log alone

    /// Logs that a request, a replication or an application changed an account.
    func accountChanged(_ name: String) { logger.info("account changed", metadata: ["name": "\(name)"]) }

    func slowQuery(of database: String, milliseconds: Int, _ details: Logger.Metadata) {
        var metadata = details
        metadata["database"] = "\(database)"
        metadata["milliseconds"] = "\(milliseconds)"
        logger.warning("slow query", metadata: metadata)
    }

    func replicationStarted(_ job: ReplicationJob) {
        logger.notice("replication started", metadata: AuditLog.metadata(of: job))
    }

    func replicationEnded(_ job: ReplicationJob) {
        var metadata = AuditLog.metadata(of: job)
        metadata["state"] = "\(job.status.state.rawValue)"
        logger.notice("replication ended", metadata: metadata)
    }

    /// The metadata of each line about a replication. It contains no credentials.
    static func metadata(of job: ReplicationJob) -> Logger.Metadata {
        [
            "id": "\(job.id)", "owner": "\(job.owner.name ?? "")", "source": "\(job.spec.source.description)",
            "target": "\(job.spec.target.description)",
        ]
    }
}
