//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitStore
package import Logging

/// The server that a module is part of, as the module uses it.
public struct RunningServer: Sendable {
    /// The databases.
    public let manager: DatastoreManager
    /// Tells who makes a request, and slows down who guesses.
    package let authenticator: Authenticator
    package let logger: Logger
    /// Rounds of PBKDF2 for new passwords, by the settings of now.
    package var iterations: Int { settings.options.iterations }

    let settings: ServerSettings
    let securities: SecurityObjects
    let openRequests: OpenRequests
    let backgroundWork: BackgroundWorkList

    /// Lets the request that this task answers reach its end, whoever is cut meanwhile.
    package func spareRequest() { openRequests.spareCurrent() }

    /// Ends what the server does for some members of applications: answers, feeds and replications. They may come again
    /// if they may still come.
    package func revoke(where isMeant: @escaping @Sendable (Principal) -> Bool) async {
        openRequests.revoke(where: isMeant)
        for work in backgroundWork.all { await work.revoke(where: isMeant) }
    }

    /// Sets the security object of a database.
    ///
    /// - Parameter object: As CouchDB has it, with Cloudant's and Godwit's members.
    package func setSecurity(of database: String, to object: SecurityObject) async throws {
        try await securities.set(object, of: database)
    }

    /// Deletes a database; without one of this name nothing happens.
    package func delete(_ database: String) async throws {
        do {
            try await manager.delete(named: database)
        } catch {
            guard error.code == .databaseNotFound else { throw error }
        }
        securities.forget(database)
    }
}
