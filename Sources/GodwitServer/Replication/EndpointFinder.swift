//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitSync
import HTTPTypes

/// Finds the databases that a replication names, with the rights that its owner has now.
struct EndpointFinder: Sendable {
    let manager: DatastoreManager
    let gatekeeper: Gatekeeper

    /// The replication of a job.
    ///
    /// - Throws: ``HTTPFailure`` when the owner may not use a database or it is not there.
    func replicator(of job: ReplicationJob) async throws -> Replicator {
        let owner = try await owner(of: job)
        let source = try await endpoint(job.spec.source, owner: owner, creating: nil)
        let target = try await endpoint(job.spec.target, owner: owner, creating: job.spec.createsTarget)
        var replicator = Replicator(from: source, to: target, createsTarget: job.spec.createsTarget)
        replicator.isContinuous = job.spec.isContinuous
        replicator.selection = job.spec.selection
        return replicator
    }

    /// The owner with the roles of now: those of when the replication was asked for where the name is not known here,
    /// as of one who came with a token.
    private func owner(of job: ReplicationJob) async throws -> Principal {
        guard let name = job.owner.name, let account = try await gatekeeper.authenticator.accounts.account(named: name)
        else { return job.document == nil ? job.owner : .anonymous }
        return try account.principal(nil)
    }

    /// - Parameter creating: Whether a target is made that is not there; `nil` for a source.
    private func endpoint(
        _ side: ReplicationSpec.Side, owner: Principal, creating: Bool?
    ) async throws -> any DatabaseEndpoint {
        switch side {
        case .remote(let url, let credentials, let headers):
            return RemoteEndpoint(url, credentials: credentials, headers: headers)
        case .local(let name):
            let datastore = try await datastore(name, owner: owner, creating: creating)
            guard creating != nil else { return LocalEndpoint(datastore) }
            let database = OpenDatabase(
                datastore: datastore, principal: owner, rights: try await gatekeeper.rights(of: owner, in: name),
                iterations: gatekeeper.settings.options.iterations, securities: gatekeeper.securities,
                accounts: gatekeeper.authenticator.accounts)
            return LocalEndpoint(datastore) { documents in
                try await database.admit(documents, isReplicated: true).enumerated().map { place, admitted in
                    guard case .failure(let failure) = admitted else { return nil }
                    return ReplicationFailure(
                        id: documents[place].id ?? "", revision: documents[place].revision,
                        status: failure.status.code, error: failure.error, reason: failure.reason)
                }
            }
        }
    }

    private func datastore(_ name: String, owner: Principal, creating: Bool?) async throws -> Datastore {
        let rights = try await gatekeeper.rights(of: owner, in: name)
        // Whoever replicates into a database writes its design documents too.
        let wanted: DatabaseRights = creating == nil ? .read : .all
        let isSystem = DatabaseName.systemNames.contains(name)
        guard rights.isSuperset(of: wanted), owner.isAdministrator || !isSystem else {
            throw HTTPFailure.refusal(of: owner, with: rights, wanted: wanted)
        }
        guard let creating else { return try await manager.existingDatastore(named: name) }
        let datastore =
            creating && owner.isAdministrator
            ? try await manager.datastore(named: name) : try await manager.existingDatastore(named: name)
        guard !isSystem, !datastore.isPartitioned else {
            // Their rules look at each document, which is done for requests alone.
            throw HTTPFailure.forbidden("Replicate into \(name) by its URL, so that its rules hold.")
        }
        return datastore
    }
}
