//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

/// Opens databases for principals.
///
/// This type is a class, so that each request stores only one reference to it.
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
    /// - Throws: ``HTTPFailure`` with status 404 when the name is invalid. As in CouchDB, only the creation of a
    ///   database reports that a name is invalid. ``StoreError`` when the database cannot be opened, and when it does
    ///   not exist, which results in status 404.
    func datastore(named name: String) async throws -> Datastore {
        do {
            return try await manager.existingDatastore(named: name)
        } catch  where error.code == .invalidDatabaseName {
            throw HTTPFailure.databaseMissing
        }
    }

    /// Opens a database for a principal.
    ///
    /// - Parameter rights: The principal's rights in the database.
    /// - Throws: The errors of ``datastore(named:)``.
    func database(
        named name: String, for principal: Principal, with rights: DatabaseRights
    ) async throws -> OpenDatabase {
        database(try await datastore(named: name), for: principal, with: rights)
    }

    /// Wraps an open datastore for a principal.
    func database(_ datastore: Datastore, for principal: Principal, with rights: DatabaseRights) -> OpenDatabase {
        OpenDatabase(
            datastore: datastore, principal: principal, rights: rights, options: settings.options,
            securities: securities, accounts: accounts)
    }
}
