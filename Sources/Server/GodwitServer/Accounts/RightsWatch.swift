//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore
import Logging

/// Ends the requests in ``OpenRequests`` and the background work of modules when their principals lose the necessary
/// rights. Feeds are among these requests.
struct RightsWatch: Sendable {
    let manager: DatastoreManager
    let gatekeeper: Gatekeeper
    let openRequests: OpenRequests
    let backgroundWork: BackgroundWorkList
    let changes: RightsChanges
    let audit: AuditLog
    let logger: Logger

    /// Applies changes of rights until the task is cancelled.
    func run() async {
        await withTaskGroup { group in
            group.addTask { await followUsers() }
            group.addTask { await changes.forEach { await follow($0) } }
        }
    }

    private func follow(_ batch: RightsChanges.Batch) async {
        for name in batch.names { audit.accountChanged(name.text) }
        await openRequests.recheck {
            // Exact: the names of databases are ASCII.
            batch.affectsAllPrincipals || batch.databases.contains($0.request.parameter("db"))
                || $0.principal.name.map { batch.names.contains(ExactText($0)) } == true
        } isAllowed: { entry in
            await gatekeeper.stillAllows(entry.request, of: entry.principal, to: entry.access)
        }
        for work in backgroundWork.all { await work.recheck() }
    }

    // MARK: Users

    private func followUsers() async {
        while !Task.isCancelled {
            do {
                let existed = try await followUsersUntilClosed()
                if existed { changes.noteAllPrincipals() }
            } catch {
                guard !Task.isCancelled else { return }
                logger.error("the changes of the _users database cannot be read", metadata: ["cause": "\(error)"])
                changes.noteAllPrincipals()
            }
            // Now the database does not exist or cannot be read. This may change, so the loop tries again after a
            // second.
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Notes the changes of `_users` until the database is closed or deleted. Returns whether the database existed at
    /// the beginning.
    private func followUsersUntilClosed() async throws -> Bool {
        guard let users = try await UsersDatabase.datastore(of: manager) else { return false }
        var lastSequence = users.updateSequence.number
        // Changes that are older than `lastSequence` are not read, so their users are unknown.
        changes.noteAllPrincipals()
        while await users.waitForChange(after: lastSequence) {
            var hasMore = true
            while hasMore {
                let slice = try users.changes(after: lastSequence, detail: .leaves)
                for row in slice.rows {
                    lastSequence = row.sequence
                    if let name = UsersDatabase.name(ofDocument: row.id) { changes.note(account: name) }
                }
                hasMore = slice.hasMore
            }
            // A purge uses a sequence number but adds no row to the feed. Therefore the names of the purged users are
            // unknown.
            if users.updateSequence.number > lastSequence {
                lastSequence = users.updateSequence.number
                changes.noteAllPrincipals()
            }
        }
        return true
    }
}

extension Gatekeeper {
    /// Whether an open request is still allowed by the current rights of its principal. If an error prevents finding
    /// the rights, the request is not allowed.
    func stillAllows(_ request: ServerRequest, of principal: Principal, to access: RouteAccess) async -> Bool {
        do {
            guard let current = try await current(principal) else { return false }
            _ = try await rights(of: current, for: access, request)
            return true
        } catch {
            return false
        }
    }

    /// Returns a principal with its current roles; `nil` when its account was removed. A principal of a token or a
    /// proxy is returned unchanged, because its roles do not come from an account. If the token of a principal is from
    /// a module, this module itself ends the requests with the token.
    ///
    /// - Throws: The ``Account/refusal`` of the account, if it has one.
    private func current(_ principal: Principal) async throws -> Principal? {
        guard let name = principal.name else { return principal }
        switch principal.authentication {
        case .jwt?, .proxy?: return principal
        case .cookie?, .basic?, nil:
            return try await authenticator.accounts.account(named: name)?.principal(principal.authentication)
        }
    }
}
