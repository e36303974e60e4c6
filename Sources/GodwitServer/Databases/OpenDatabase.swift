//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitViews
import HTTPTypes
import Logging

/// A database opened for a principal: checks rights and validates writes.
struct OpenDatabase: Sendable {
    let datastore: Datastore
    let principal: Principal
    let rights: DatabaseRights
    let options: ServerSettings.Options
    let securities: SecurityObjects
    let accounts: AccountDirectory

    private var isAdministrator: Bool { rights.contains(.administrate) }

    // MARK: Reading

    /// Refuses a document that the principal may not see, as one that is not there.
    func checkReading(_ id: String) throws {
        if datastore.name == UsersDatabase.name, DocumentID.isDesign(id), !principal.isAdministrator {
            throw HTTPFailure.forbidden("Only administrators can view design docs in the users database.")
        }
        guard try shows(id) else { throw HTTPFailure.missing }
    }

    /// Whether the principal may see a document: of `_users` their own, of `_replicator` those that they own.
    func shows(_ id: String) throws -> Bool {
        guard !principal.isAdministrator else { return true }
        switch datastore.name {
        case UsersDatabase.name: return UsersDatabase.shows(id, to: principal)
        case ReplicatorDatabase.name where DocumentID.isDesign(id): return true
        case ReplicatorDatabase.name:
            let owner = try previous(id)?["owner"]?.stringValue
            return owner != nil && owner == principal.name
        default: return true
        }
    }

    /// The members of a live document's winner.
    private func previous(_ id: String) throws -> JSONObject? {
        guard let row = try datastore.read({ try $0.row(id: id) }), !row.winner.isDeleted else { return nil }
        return try JSONValue(parsing: row.body, limits: datastore.limits.json).objectValue
    }

    // MARK: Writing

    /// Refuses revisions made elsewhere where rules look at what changes: they would come beside what was checked.
    func checkReplication() throws(HTTPFailure) {
        guard principal.isAdministrator || !DatabaseName.systemNames.contains(datastore.name) else {
            throw .forbidden("Only administrators may write to \(datastore.name) with new_edits=false.")
        }
    }

    /// Refuses to write local documents, as the routes of `_local` do: those of a system database are for administrators.
    func checkLocalWriting() throws(HTTPFailure) {
        guard principal.isAdministrator || !datastore.name.hasPrefix("_") else {
            throw .unauthorized("You are not a server admin.")
        }
        guard rights.contains(.writeLocal) else {
            throw HTTPFailure.refusal(of: principal, with: rights, wanted: .writeLocal)
        }
    }

    /// Validates documents by the rules of the database.
    ///
    /// - Parameter isReplicated: Whether they are revisions made elsewhere. Design documents among them are not looked into.
    /// - Returns: Each document as it is saved, or why it is refused.
    func validated(
        _ documents: [IncomingDocument], isReplicated: Bool = false
    ) async throws -> [Result<IncomingDocument, HTTPFailure>] {
        var results: [Result<IncomingDocument, HTTPFailure>] = []
        results.reserveCapacity(documents.count)
        for document in documents {
            do {
                results.append(.success(try await checked(document, isReplicated: isReplicated)))
            } catch {
                results.append(.failure(failure(error)))
            }
        }
        guard let validation = try Validation(of: datastore) else { return results }
        return try await refusing(results, by: validation)
    }

    /// What the answer says of one document of several that could not be written; what is the server's fault is logged.
    func failure(_ error: any Error) -> HTTPFailure {
        let failure = HTTPFailure(error)
        if failure.status.code >= 500, failure.status != .notImplemented, failure.status != .serviceUnavailable {
            accounts.logger.error(
                "writing a document failed", metadata: ["database": "\(datastore.name)", "cause": "\(error)"])
        }
        return failure
    }

    /// The same results, with a refusal for each document that a `validate_doc_update` refuses.
    private func refusing(
        _ results: [Result<IncomingDocument, HTTPFailure>], by validation: Validation
    ) async throws -> [Result<IncomingDocument, HTTPFailure>] {
        let documents = results.compactMap { try? $0.get() }
        let security = try await securities.object(of: datastore.name) ?? .administratorsOnly
        let context = Validation.Context(user: userContext, security: JSONValue.object(security.value).jsonBytes())
        var refusals = try await validation.refusals(of: documents, in: datastore, context).makeIterator()
        return results.map { document in
            guard case .success = document, let refusal = refusals.next() ?? nil else { return document }
            return .failure(HTTPFailure(refusal))
        }
    }

    /// Who asks, as functions of design documents are told (`userCtx`), in JSON.
    var userContext: [UInt8] {
        UserContext(name: principal.name, roles: Array(principal.roles)).json(in: datastore.name)
    }

    /// Validates one document.
    ///
    /// - Returns: The document as it is saved.
    /// - Throws: ``HTTPFailure`` that says why it is refused.
    func validated(_ document: IncomingDocument, isReplicated: Bool = false) async throws -> IncomingDocument {
        try await validated([document], isReplicated: isReplicated)[0].get()
    }

    /// A document as it is saved, by all rules but those of `validate_doc_update`.
    private func checked(_ document: IncomingDocument, isReplicated: Bool) async throws -> IncomingDocument {
        let id = document.id ?? ""
        if DocumentID.isDesign(id) {
            guard isAdministrator else {
                throw HTTPFailure.refusal(of: principal, with: rights, wanted: .administrate)
            }
            if !isReplicated, !document.isDeleted { try await checkDesign(document) }
        }
        if datastore.isPartitioned { try PartitionedID.check(id) }
        guard DatabaseName.systemNames.contains(datastore.name) else { return document }
        let previous = try previous(id)
        if datastore.name == ReplicatorDatabase.name {
            return try ReplicatorDatabase.validated(
                document, previous: previous, principal: principal, hosts: options.replicationHosts,
                limits: datastore.limits)
        }
        guard datastore.name == UsersDatabase.name else { return document }
        return try await UsersDatabase.validated(
            document, previous: previous, principal: principal, accounts: accounts, limits: datastore.limits,
            iterations: options.iterations)
    }

    /// Refuses a design document that cannot be.
    private func checkDesign(_ document: IncomingDocument) async throws {
        guard let members = try JSONValue(parsing: document.body, limits: datastore.limits.json).objectValue else {
            return
        }
        let check = DesignCheck(members)
        try check.checkShapes()
        try check.checkPartitioning(of: datastore)
        try await check.compile(as: document.id ?? "", in: datastore)
    }
}
