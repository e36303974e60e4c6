//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitSync
import HTTPTypes

/// Finds the databases that a replication names, with the rights of its owner.
struct EndpointFinder: Sendable {
    /// What a database is for.
    enum Use: Sendable {
        case source
        case target(creating: Bool)
    }

    let manager: DatastoreManager
    let gatekeeper: Gatekeeper

    /// - Throws: ``HTTPFailure`` when the owner may not use the database or it is not there.
    func endpoint(
        _ side: ReplicationSpec.Side, owner: Principal, use: Use
    ) async throws -> any DatabaseEndpoint {
        switch side {
        case .remote(let url, let credentials): return RemoteEndpoint(url, credentials: credentials)
        case .local(let name): return LocalEndpoint(try await datastore(name, owner: owner, use: use))
        }
    }

    private func datastore(_ name: String, owner: Principal, use: Use) async throws -> Datastore {
        let rights = try await gatekeeper.rights(of: owner, in: name)
        // Whoever replicates into a database writes its design documents too.
        let wanted: DatabaseRights = if case .source = use { .read } else { .all }
        let isSystem = DatabaseName.systemNames.contains(name)
        guard rights.isSuperset(of: wanted), owner.isAdministrator || !isSystem else {
            throw HTTPFailure.refusal(of: owner, with: rights, wanted: wanted)
        }
        guard case .target(let creates) = use else { return try await manager.existingDatastore(named: name) }
        let datastore =
            creates && owner.isAdministrator
            ? try await manager.datastore(named: name) : try await manager.existingDatastore(named: name)
        guard !isSystem, !datastore.isPartitioned else {
            // Their rules look at each document, which is done for requests alone.
            throw HTTPFailure.forbidden("Replicate into \(name) by its URL, so that its rules hold.")
        }
        return datastore
    }

    /// Waits until a source may have changed.
    ///
    /// - Returns: `false` when there is nothing to wait for any more.
    func waitForChange(
        at side: ReplicationSpec.Side, owner: Principal, limits: ServerLimits
    ) async throws -> Bool {
        switch side {
        case .remote: try await Task.sleep(for: .seconds(limits.replicationPollSeconds))
        case .local(let name):
            let datastore = try await datastore(name, owner: owner, use: .source)
            guard await datastore.waitForChange(after: datastore.updateSequence.number) else {
                // A database that was closed or deleted fails at the next pass, which says so.
                return !Task.isCancelled
            }
        }
        return true
    }
}
