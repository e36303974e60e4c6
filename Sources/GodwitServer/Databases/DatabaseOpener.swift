//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

/// Opens databases for principals.
///
/// A class, so that each request holds one reference.
final class DatabaseOpener: Sendable {
    private let manager: DatastoreManager
    private let settings: ServerSettings
    private let securities: SecurityObjects
    private let accounts: AccountDirectory

    init(manager: DatastoreManager, gatekeeper: Gatekeeper) {
        self.manager = manager
        settings = gatekeeper.settings
        securities = gatekeeper.securities
        accounts = gatekeeper.authenticator.accounts
    }

    /// Opens a database.
    ///
    /// - Throws: ``HTTPFailure`` with status 404 when there is none of this name, also for a name that no database can have:
    ///   CouchDB refuses such a name only when a database is to be made.
    func datastore(named name: String) async throws -> Datastore {
        do {
            return try await manager.existingDatastore(named: name)
        } catch  where error.code == .invalidDatabaseName {
            throw HTTPFailure.databaseMissing
        }
    }

    /// Opens a database for a principal.
    ///
    /// - Parameter rights: What the principal may do there.
    /// - Throws: ``HTTPFailure`` as ``datastore(named:)`` does.
    func database(
        named name: String, for principal: Principal, with rights: DatabaseRights
    ) async throws -> OpenDatabase {
        database(try await datastore(named: name), for: principal, with: rights)
    }

    /// A datastore as a database opened for a principal.
    func database(_ datastore: Datastore, for principal: Principal, with rights: DatabaseRights) -> OpenDatabase {
        OpenDatabase(
            datastore: datastore, principal: principal, rights: rights, options: settings.options,
            securities: securities, accounts: accounts)
    }
}
