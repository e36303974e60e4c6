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
    private let gatekeeper: Gatekeeper

    init(manager: DatastoreManager, gatekeeper: Gatekeeper) {
        self.manager = manager
        self.gatekeeper = gatekeeper
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
    /// - Throws: ``HTTPFailure`` as ``datastore(named:)`` does.
    func database(named name: String, for principal: Principal) async throws -> OpenDatabase {
        let datastore = try await datastore(named: name)
        return OpenDatabase(
            datastore: datastore, principal: principal,
            rights: try await gatekeeper.rights(of: principal, in: datastore.name),
            options: gatekeeper.settings.options, securities: gatekeeper.securities,
            accounts: gatekeeper.authenticator.accounts)
    }
}
