//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClientNIO
import GodwitStore
import GodwitSync
import GodwitTransport
import HTTPTypes

/// Opens the source and the target of a replication with the rights of the replication's owner.
struct EndpointFinder: Sendable {
    let manager: DatastoreManager
    let gatekeeper: Gatekeeper
    let databases: DatabaseOpener
    /// Opens connections for replications whose owners are not administrators, and checks the hosts to which they lead.
    let peers: PeerGuard
    /// The memory budget that all replications share for documents in transit.
    private let memory = ReplicationMemory(
        bytesMax: ServerLimits.replicationBytesMax, ownerBytesMax: ServerLimits.replicationOwnerBytesMax)

    init(manager: DatastoreManager, gatekeeper: Gatekeeper, databases: DatabaseOpener) {
        self.manager = manager
        self.gatekeeper = gatekeeper
        self.databases = databases
        peers = PeerGuard { [settings = gatekeeper.settings] in settings.options.replicationHosts }
    }

    /// The limits of each replication that the server runs. An answer may have two of the longest documents.
    private var limits: ReplicationLimits {
        var limits = ReplicationLimits()
        limits.pagesInFlightMax = 2
        limits.responseBytesMax = max(ServerLimits.replicatedDocumentBytesMax, 2 * manager.limits.bodyBytesMax)
        limits.changesBytesMax = ServerLimits.replicatedChangesBytesMax
        limits.answerBytesMax = ServerLimits.replicatedAnswerBytesMax
        return limits
    }

    /// Creates the replicator of a job. If the target is a database of this server and does not exist, it is created
    /// under two conditions: the job requests this, and the owner is an administrator.
    ///
    /// - Parameter mayCreateTarget: Whether a missing target may be created.
    /// - Throws: ``HTTPFailure`` when the owner may not use one of the databases, may not use the network, or no longer
    ///   has an account; `StoreError` when a database does not exist or cannot be opened.
    func replicator(of job: ReplicationJob, mayCreateTarget: Bool = true) async throws -> Replicator {
        let owner = try await owner(of: job)
        try job.spec.checkReach(of: owner, hosts: gatekeeper.settings.options.replicationHosts)
        let source = try await endpoint(job.spec.source, owner: owner, creating: nil)
        let mayCreate = mayCreateTarget && job.spec.createsTarget
        let target = try await endpoint(
            job.spec.target, owner: owner, creating: mayCreate, with: job.spec.targetParameters)
        var replicator = Replicator(
            from: source, to: target, createsTarget: job.spec.createsTarget, limits: limits)
        replicator.memory = memory
        replicator.memoryOwner = job.owner.name ?? ""
        replicator.isContinuous = job.spec.isContinuous
        replicator.keepsCheckpoints = job.spec.keepsCheckpoints
        replicator.selection = job.spec.selection
        return replicator
    }

    /// Returns the owner with its current roles.
    ///
    /// An owner without an account on this server keeps the roles that it had when the job was created, if a token or a
    /// proxy proved these roles, the owner is not a user of an application, and no document defines the replication. An
    /// anonymous owner has no roles.
    ///
    /// - Throws: ``HTTPFailure`` with status 403 when an owner has no account and these conditions are not met: its
    ///   account was removed. If the account exists but may not log in, its error is thrown
    ///   (``Account/refusal``).
    private func owner(of job: ReplicationJob) async throws -> Principal {
        guard let name = job.owner.name else { return .anonymous }
        if let account = try await gatekeeper.authenticator.accounts.account(named: name) {
            return try account.principal(nil)
        }
        let isVouchedFor = [.jwt, .proxy].contains(job.owner.authentication) && job.owner.membership == nil
        guard isVouchedFor, job.document == nil else {
            throw HTTPFailure.forbidden("The account of this replication's owner, \(name), does not exist any more.")
        }
        return job.owner
    }

    /// Opens the source or the target of a replication.
    ///
    /// - Parameter creating: `nil` to open the source. A value opens the target. If the value is `true`, a missing
    ///   target is created for an administrator.
    /// - Parameter parameters: The query of the request that creates a target on another server.
    private func endpoint(
        _ side: ReplicationSpec.Side, owner: Principal, creating: Bool?, with parameters: String = ""
    ) async throws -> any DatabaseEndpoint {
        switch side {
        case .remote(let url, let credentials, let headers):
            let transport: any Transport = owner.isAdministrator ? AsyncHTTPTransport() : GuardedTransport(peers)
            var endpoint = RemoteEndpoint(
                url, credentials: credentials, headers: headers, limits: limits, transport: transport)
            endpoint.creationParameters = parameters
            return endpoint
        case .local(let name):
            let database = try await database(name, owner: owner, creating: creating)
            guard creating != nil else { return LocalEndpoint(database.datastore) }
            return LocalEndpoint(database.datastore) { documents in
                try await database.validated(documents, isReplicated: true).enumerated().map { index, result in
                    guard case .failure(let failure) = result else { return nil }
                    return ReplicationFailure(
                        id: documents[index].id ?? "", revision: documents[index].revision,
                        status: failure.status.code, error: failure.error, reason: failure.reason)
                }
            }
        }
    }

    private func database(_ name: String, owner: Principal, creating: Bool?) async throws -> OpenDatabase {
        let rights = try await gatekeeper.rights(of: owner, in: name)
        // A replication also writes design documents, so it requires all rights in its target.
        let requiredRights: DatabaseRights = creating == nil ? .read : .all
        let isSystem = DatabaseName.systemNames.contains(name)
        guard rights.isSuperset(of: requiredRights), owner.isAdministrator || !isSystem else {
            throw HTTPFailure.refusal(of: owner, with: rights, wanted: requiredRights)
        }
        guard let creating else {
            return databases.database(try await manager.existingDatastore(named: name), for: owner, with: rights)
        }
        // The rules of system databases and of partitioned databases are applied only to documents that arrive in
        // requests. A replication within the server would write documents without these checks.
        let refusal = HTTPFailure.forbidden("Replicate to \(name) by its URL, so that its rules are applied.")
        guard !isSystem else { throw refusal }
        let datastore =
            creating && owner.isAdministrator
            ? try await manager.datastore(named: name) : try await manager.existingDatastore(named: name)
        guard !datastore.isPartitioned else { throw refusal }
        return databases.database(datastore, for: owner, with: rights)
    }
}
