//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import Logging

/// Writes events to the server's log, one event per line: logins, refused requests, changes of rights, accounts and
/// settings, slow queries, and replications.
///
/// No line contains a secret, a document or a query's value. The names and paths in a line come from clients.
package struct AuditLog: Sendable {
    private let logger: Logger

    /// Creates an audit log.
    ///
    /// - Parameter server: The server's log, to which the events are written.
    package init(like server: Logger) {
        logger = server
    }

    func loggedIn(_ name: String, from address: String) {
        logger.info("login", metadata: ["name": "\(name)", "address": "\(address)"])
    }

    func loginFailed(_ name: String, from address: String) {
        logger.notice("login failed", metadata: ["name": "\(name)", "address": "\(address)"])
    }

    func lockedOut(_ name: String, from address: String) {
        logger.warning("account locked for an address", metadata: ["name": "\(name)", "address": "\(address)"])
    }

    func refused(_ method: String, _ path: String, _ response: ServerResponse, status: Int) {
        var metadata = AuditLog.metadata(of: method, path, response)
        metadata["status"] = "\(status)"
        logger.notice("access denied", metadata: metadata)
    }

    /// Logs that a request changed rights or accounts.
    func changed(_ event: String, _ method: String, _ path: String, _ response: ServerResponse) {
        logger.notice("\(event)", metadata: AuditLog.metadata(of: method, path, response))
    }

    private static func metadata(of method: String, _ path: String, _ response: ServerResponse) -> Logger.Metadata {
        [
            "method": "\(method)", "path": "\(path)", "by": "\(response.principalName ?? "")",
            "address": "\(response.peerAddress)", "id": "\(response.requestID)",
        ]
    }

    func administratorSet(_ name: String, isNew: Bool, by principal: String?) {
        logger.warning(
            isNew ? "administrator added" : "administrator changed",
            metadata: ["name": "\(name)", "by": "\(principal ?? "")"])
    }

    func administratorRemoved(_ name: String, by principal: String?) {
        logger.warning("administrator removed", metadata: ["name": "\(name)", "by": "\(principal ?? "")"])
    }

    func settingChanged(_ section: String, _ name: String, by principal: String?) {
        logger.notice("setting changed", metadata: ["setting": "\(section)/\(name)", "by": "\(principal ?? "")"])
    }

    /// Logs that a request, a replication or an application changed an account.
    func accountChanged(_ name: String) { logger.info("account changed", metadata: ["name": "\(name)"]) }

    func slowQuery(of database: String, fields: Set<String>, milliseconds: Int, documents: Int) {
        logger.warning(
            "slow query",
            metadata: [
                "database": "\(database)", "fields": "\(fields.sorted().joined(separator: ","))",
                "milliseconds": "\(milliseconds)", "documents_examined": "\(documents)",
            ])
    }

    func replicationStarted(_ job: ReplicationJob) {
        logger.notice("replication started", metadata: AuditLog.metadata(of: job))
    }

    func replicationEnded(_ job: ReplicationJob) {
        var metadata = AuditLog.metadata(of: job)
        metadata["state"] = "\(job.status.state.rawValue)"
        logger.notice("replication ended", metadata: metadata)
    }

    private static func metadata(of job: ReplicationJob) -> Logger.Metadata {
        [
            "id": "\(job.id)", "owner": "\(job.owner.name ?? "")", "source": "\(job.spec.source.description)",
            "target": "\(job.spec.target.description)",
        ]
    }
}
