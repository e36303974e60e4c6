//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitClientNIO
import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import HTTPTypes
import Logging

/// Runs the replications that the documents of the database `_replicator` define. Starts a replication for each
/// document, and writes its final state to the document.
struct ReplicatorDatabase: Sendable {
    static let name = "_replicator"

    let manager: DatastoreManager
    let scheduler: ReplicationScheduler
    let accounts: AccountDirectory
    let logger: Logger

    // MARK: Rules

    /// Validates a document by the rules of replications. If the document names no owner, the principal is added as the
    /// owner. Design documents and deletions are returned unchanged.
    ///
    /// - Parameter hosts: The hosts with which principals without administrator's rights may replicate.
    /// - Returns: The document to save.
    /// - Throws: ``HTTPFailure`` with status 403 when the document belongs to another owner, when its members are
    ///   invalid, or when the principal may not start the replication; or with status 501 when the document contains
    ///   members that are not supported.
    static func validated(
        _ document: IncomingDocument, previous: JSONObject?, principal: Principal, hosts: AllowedHosts,
        limits: StoreLimits
    ) throws -> IncomingDocument {
        guard let id = document.id, !DocumentID.isDesign(id) else { return document }
        if let owner = previous?["owner"]?.stringValue, !principal.isNamed(owner), !principal.isAdministrator {
            throw HTTPFailure.forbidden("Can't update replication documents from other users.")
        }
        guard !document.isDeleted else { return document }
        guard !CombiningMarks.areTooMany(inJSON: document.body) else {
            throw HTTPFailure.forbidden(HTTPFailure.tooManyMarks.reason)
        }
        var object = try JSONValue(parsing: document.body, limits: limits.json).objectValue ?? [:]
        do {
            try ReplicationSpec(object).checkReach(of: principal, hosts: hosts)
        } catch {
            throw error.status == .notImplemented ? error : HTTPFailure.forbidden(error.reason)
        }
        if let owner = object["owner"]?.stringValue, !principal.isNamed(owner), !principal.isAdministrator {
            throw HTTPFailure.forbidden("Can't update replication documents from other users.")
        }
        guard object["owner"]?.stringValue == nil, let name = principal.name else { return document }
        object["owner"] = .string(name)
        return try document.replacingBody(object, limits: limits)
    }

    // MARK: Following the documents

    /// Starts the replications of all documents, and follows changes of the documents until the task is cancelled.
    /// After the cancellation, all replications that were added to the scheduler are ended.
    func run() async {
        while !Task.isCancelled {
            do {
                try await followUntilClosed()
            } catch let error as StoreError where [.databaseNotFound, .closed].contains(error.code) {
                // The database was deleted, or the server stops.
            } catch {
                logger.error("the replicator database cannot be read", metadata: ["cause": "\(error)"])
            }
            // At present the database does not exist or cannot be read. This may change, so the loop tries again.
            try? await Task.sleep(for: .seconds(1))
        }
        await scheduler.stop()
    }

    private func followUntilClosed() async throws {
        let datastore = try await manager.existingDatastore(named: ReplicatorDatabase.name)
        var lastSequence: Int64 = 0
        repeat {
            let sequence = datastore.updateSequence.number
            try await follow(datastore, after: &lastSequence)
            // A purge uses a sequence number but adds no row to the feed.
            if sequence > lastSequence {
                lastSequence = sequence
                try await endPurged(of: datastore)
            }
        } while await datastore.waitForChange(after: lastSequence)
        for document in await scheduler.all.compactMap(\.document) { await scheduler.end(document: document) }
    }

    /// Ends the replications whose documents do not exist any more.
    private func endPurged(of datastore: Datastore) async throws {
        for document in await scheduler.all.compactMap(\.document) {
            guard try datastore.read({ try $0.row(id: document, detail: .leaves) }) == nil else { continue }
            await scheduler.end(document: document)
        }
    }

    private func follow(_ datastore: Datastore, after lastSequence: inout Int64) async throws {
        while !Task.isCancelled {
            let slice = try datastore.changes(after: lastSequence, detail: .bodies)
            for row in slice.rows {
                lastSequence = row.sequence
                await handleChange(row, of: datastore)
            }
            guard slice.hasMore else { return }
        }
    }

    /// Starts, replaces or ends the replication of a document.
    private func handleChange(_ row: DocumentRow, of datastore: Datastore) async {
        guard !DocumentID.isDesign(row.id) else { return }
        let object = row.winner.isDeleted ? nil : try? JSONValue(parsing: row.body).objectValue
        await scheduler.end(document: row.id)
        guard let object else { return }
        if let state = object["_replication_state"]?.stringValue.flatMap(ReplicationJob.State.init), state.isTerminal {
            return await list(row.id, object, state)
        }
        do {
            let job = ReplicationJob(
                spec: try ReplicationSpec(object), owner: try await owner(object), document: row.id,
                revision: row.winner.revision)
            let onEnd: @Sendable (ReplicationJob) async -> Void = { await storeState($0, in: datastore) }
            if let other = try await scheduler.add(job, onEnd: onEnd) {
                guard other.document == nil else { throw HTTPFailure.alreadyStarted(job, by: other) }
                await scheduler.addLater(job, document: row.id, onEnd: onEnd)
            }
        } catch {
            await storeState(
                .failed, of: row.id, reason: HTTPFailure(error).reason, counts: nil, job: nil, in: datastore)
        }
    }

    /// Adds a replication that has ended to the scheduler's list. The final state comes from the document of the
    /// replication.
    private func list(_ document: String, _ object: JSONObject, _ state: ReplicationJob.State) async {
        guard let spec = try? ReplicationSpec(object) else { return }
        let job = ReplicationJob(
            spec: spec, owner: Principal(name: object["owner"]?.stringValue, roles: [], authentication: nil),
            document: document)
        job.note(state, object)
        await scheduler.list(job)
    }

    /// The owner of a document, with the current roles of the owner. An owner without an account has no roles, nor has a
    /// user whose document is in conflict until it is resolved; ``EndpointFinder`` asks again at each attempt. Throws
    /// the ``Account/refusal`` of other accounts.
    private func owner(_ object: JSONObject) async throws -> Principal {
        guard let name = object["owner"]?.stringValue else { return .anonymous }
        guard let account = try await accounts.account(named: name), account.kind != .user || account.refusal == nil
        else {
            return Principal(name: name, roles: [], authentication: nil)
        }
        return try account.principal(nil)
    }

    // MARK: Storing the result

    private func storeState(_ job: ReplicationJob, in datastore: Datastore) async {
        guard let document = job.document, job.status.state.isTerminal else { return }
        await storeState(job.status.state, of: document, reason: nil, counts: job.status, job: job, in: datastore)
    }

    private func storeState(
        _ state: ReplicationJob.State, of document: String, reason: String?, counts: ReplicationJob.Status?,
        job: ReplicationJob?, in datastore: Datastore
    ) async {
        do {
            guard let row = try datastore.read({ try $0.row(id: document) }), !row.winner.isDeleted else { return }
            var object = try JSONValue(parsing: row.body).objectValue ?? [:]
            object["_replication_state"] = .string(state.rawValue)
            object["_replication_state_time"] = .string(WallClock.text)
            object["_replication_state_reason"] = reason.map { .string($0) }
            object["_replication_id"] = job.map { .string($0.id) }
            object["_replication_stats"] = counts.map { .object($0.couchDBObject) }
            var edit = try IncomingDocument(
                parsing: JSONValue.object(object).jsonBytes(), purpose: .edit, limits: datastore.limits)
            (edit.id, edit.revision) = (document, row.winner.revision)
            _ = try await datastore.save(edit)
        } catch {
            // The error has one of three causes. First, the document has changed in the meantime. The replication is
            // then started again because of this change. Second, the server is stopping. Third, the write failed, for
            // example because the disk is full.
            logger.notice("the state of a replication could not be stored", metadata: ["cause": "\(error)"])
        }
    }
}
