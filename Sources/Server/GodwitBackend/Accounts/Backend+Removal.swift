//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
import GodwitStore

extension Backend {
    /// Deletes an account with all its data: the user's database, the user's documents in the consolidated database,
    /// and the document of the account.
    ///
    /// From the first step on, the user cannot log in or use a session. If the process crashes, the next start
    /// completes the removal. If an error occurs, the next call of this method completes the removal.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/userNotFound`` or
    ///   ``AccountError/Code/applicationNotFound``.
    public func remove(_ user: String, from application: String) async throws {
        let application = try self.application(application)
        try await accountLock.withLock(application.principalName(of: user)) {
            guard let account = try await accounts(application).account(named: user) else {
                throw AccountError.userNotFound
            }
            let intent = AccountIntent(.removal, of: account, in: application)
            try await manager.setSetting(intent.key, to: intent.bytes)
            try await remove(intent, in: application)
        }
    }

    /// Runs the steps of a removal. Each step can be repeated.
    func remove(_ intent: AccountIntent, in application: Application) async throws {
        let accounts = accounts(application)
        _ = try await accounts.change(intent.user) { account in
            account.isBlocked = true
            account.keyHash = nil
        }
        try await server.revoke {
            $0.membership?.belongs(to: intent.user, of: application.id) ?? false
        }
        let server = try server
        try await consolidation(of: application).during(intent.database) { consolidated in
            try await server.delete(intent.database)
            try await deleteBluelistDatabase(of: intent.user, in: application)
            try await consolidated?.purge(intent.user, intent.database)
        }
        try await accounts.purge(intent.user)
        try await manager.removeSetting(intent.key)
    }
}

extension Consolidation? {
    /// Pauses the consolidation of a user's database while a closure runs.
    fileprivate func during(
        _ database: String, _ body: (_ consolidated: ConsolidatedDatabase?) async throws -> Void
    ) async throws {
        guard let self else { return try await body(nil) }
        try await self.pausing(database) { try await body($0) }
    }
}
