//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitStore
public import Logging

/// The interface of a running server for its modules.
public struct RunningServer: Sendable {
    /// The databases.
    public let manager: DatastoreManager
    /// Identifies principals, and slows down attempts to guess passwords.
    package let authenticator: Authenticator
    /// The server's log.
    public let logger: Logger
    /// The number of PBKDF2 rounds for new passwords, by the current settings.
    package var iterations: Int { settings.options.iterations }

    let settings: ServerSettings
    let securities: SecurityObjects
    let openRequests: OpenRequests
    let backgroundWork: BackgroundWorkList
    let recorder: AuditRecorder
    /// The pages of all modules in the web console.
    package let consolePages: [ConsolePage]

    /// Records logins, refusals and changes of rights in the database `_audit`, except if the settings say that they
    /// are never recorded.
    package func recordSecurityEvents() { recorder.want() }

    /// Exempts the request of the current task from ``revoke(where:)``, and from cancellation when the rights of its
    /// principal change. This method has an effect only if the principal is a user of an application.
    package func exemptCurrentRequest() { openRequests.exemptCurrent() }

    /// Ends the costly requests, feeds and replications of some principals. If a principal is a user of an application,
    /// all requests of this principal are ended. Exempt requests continue. This method removes no rights: the
    /// principals can make new requests.
    package func revoke(where isMeant: @escaping @Sendable (Principal) -> Bool) async {
        openRequests.revoke(where: isMeant)
        for work in backgroundWork.all { await work.revoke(where: isMeant) }
    }

    /// Sets the security object of a database.
    ///
    /// - Parameter object: The object, with CouchDB's, Cloudant's and Godwit's members.
    package func setSecurity(of database: String, to object: SecurityObject) async throws {
        try await securities.set(object, of: database)
    }

    /// Deletes a database. Does nothing when the database does not exist.
    package func delete(_ database: String) async throws {
        do {
            try await manager.delete(named: database)
        } catch {
            guard error.code == .databaseNotFound else { throw error }
        }
        securities.forget(database)
    }
}
