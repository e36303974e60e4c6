//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
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
    /// If the database is `_users`, the address of the client that sent the request. Empty for all other databases, and
    /// if a replication opened the database.
    var clientAddress = ""

    private var isAdministrator: Bool { rights.contains(.administrate) }

    // MARK: Reading

    /// Checks that the principal may read a document.
    ///
    /// - Throws: ``HTTPFailure`` with status 403 for a hidden design document of `_users`. Any other hidden document is
    ///   reported as missing, with status 404. Also throws errors of reading the document.
    func checkReading(_ id: String) throws {
        if datastore.name.isIdenticalText(to: UsersDatabase.name), DocumentID.isDesign(id), !principal.isAdministrator {
            throw HTTPFailure.forbidden("Only administrators can view design docs in the users database.")
        }
        guard try shows(id) else { throw HTTPFailure.missing }
    }

    /// Whether the principal may see a document. An administrator of the server sees all documents. The documents that
    /// any other principal sees depend on the database:
    ///
    /// - `_users`: the principal's own document
    /// - `_replicator`: the principal's own documents, and all design documents
    /// - any other database: all documents
    func shows(_ id: String) throws -> Bool {
        guard !principal.isAdministrator else { return true }
        switch datastore.name {
        case UsersDatabase.name: return UsersDatabase.shows(id, to: principal)
        case ReplicatorDatabase.name where DocumentID.isDesign(id): return true
        case ReplicatorDatabase.name:
            let owner = try winnerMembers(id)?["owner"]?.stringValue
            return owner != nil && principal.isNamed(owner)
        default: return true
        }
    }

    /// Returns the members of a document's winner; `nil` when the document does not exist or is deleted.
    private func winnerMembers(_ id: String) throws -> JSONObject? {
        guard let row = try datastore.read({ try $0.row(id: id) }), !row.winner.isDeleted else { return nil }
        return try JSONValue(parsing: row.body, limits: datastore.limits.json).objectValue
    }

    // MARK: Writing

    /// Checks that the principal may write replicated revisions. In system databases, only administrators may write
    /// them. The reason is that the rules of these databases compare each edit with the winner. A replicated revision
    /// may be on another branch than the winner, so the rules cannot check it.
    ///
    /// - Throws: ``HTTPFailure`` with status 403.
    func checkReplication() throws(HTTPFailure) {
        guard principal.isAdministrator || !DatabaseName.systemNames.contains(datastore.name) else {
            throw .forbidden("Only administrators may write to \(datastore.name) with new_edits=false.")
        }
    }

    /// Checks that the principal may write documents. The routes of documents have the same rule.
    ///
    /// - Throws: ``HTTPFailure`` with status 401 or 403.
    func checkWriting() throws(HTTPFailure) {
        guard rights.contains(.write) else {
            throw HTTPFailure.refusal(of: principal, with: rights, wanted: .write)
        }
    }

    /// Checks that the principal may write local documents. In a system database, only administrators may write local
    /// documents. The routes of `_local` have the same rule.
    ///
    /// - Throws: ``HTTPFailure`` with status 401 or 403.
    func checkLocalWriting() throws(HTTPFailure) {
        guard principal.isAdministrator || !datastore.name.begins(with: "_") else {
            throw .unauthorized("You are not a server admin.")
        }
        guard rights.contains(.writeLocal) else {
            throw HTTPFailure.refusal(of: principal, with: rights, wanted: .writeLocal)
        }
    }

    /// Validates documents by the rules of the database, including `validate_doc_update` functions.
    ///
    /// - Parameter isReplicated: Whether the documents are replicated revisions. If they are, the members of design
    ///   documents are not checked.
    /// - Returns: For each document, in the same order, the document to save or the reason for its refusal.
    /// - Throws: Errors of reading the database and of running its functions.
    func validated(
        _ documents: [IncomingDocument], isReplicated: Bool = false
    ) async throws -> [Result<IncomingDocument, HTTPFailure>] {
        var results: [Result<IncomingDocument, HTTPFailure>] = []
        results.reserveCapacity(documents.count)
        for document in documents {
            do {
                results.append(.success(try await checkedByRules(document, isReplicated: isReplicated)))
            } catch {
                results.append(.failure(failure(error)))
            }
        }
        guard let validation = try Validation(of: datastore) else { return results }
        // As in CouchDB, no function is called for an edit that conflicts anyway: its client must hear of the conflict.
        if !isReplicated {
            results = try results.map { result in
                guard case .success(let document) = result, try conflicts(document) else { return result }
                return .failure(.conflict)
            }
        }
        return try await applyingRefusals(results, by: validation)
    }

    /// Whether an edit conflicts, because its revision is not a leaf of the document. The write itself decides again.
    private func conflicts(_ document: IncomingDocument) throws -> Bool {
        let row = try datastore.read { try $0.row(id: document.id ?? "", detail: .leaves) }
        guard let revision = document.revision else { return row.map { !$0.winner.isDeleted } ?? false }
        return row?.leaves.contains { $0.revision == revision } != true
    }

    /// Maps an error to the error object of one document, in a request that writes several documents. Logs internal
    /// errors of the server.
    func failure(_ error: any Error) -> HTTPFailure {
        let failure = HTTPFailure(error)
        if failure.status.code >= 500, failure.status != .notImplemented, failure.status != .serviceUnavailable {
            accounts.logger.error(
                "writing a document failed", metadata: ["database": "\(datastore.name)", "cause": "\(error)"])
        }
        return failure
    }

    /// Replaces the results of documents that a `validate_doc_update` function refuses.
    private func applyingRefusals(
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

    /// The principal in JSON, as functions of design documents get it (`userCtx`).
    var userContext: [UInt8] {
        UserContext(name: principal.name, roles: Array(principal.roles)).json(in: datastore.name)
    }

    /// Validates one document.
    ///
    /// - Returns: The document to save.
    /// - Throws: ``HTTPFailure`` with the reason why the document is refused.
    func validated(_ document: IncomingDocument, isReplicated: Bool = false) async throws -> IncomingDocument {
        try await validated([document], isReplicated: isReplicated)[0].get()
    }

    /// Checks a document by all rules except `validate_doc_update`, and returns the document to save.
    private func checkedByRules(_ document: IncomingDocument, isReplicated: Bool) async throws -> IncomingDocument {
        let id = document.id ?? ""
        if DocumentID.isDesign(id) {
            guard isAdministrator else {
                throw HTTPFailure.refusal(of: principal, with: rights, wanted: .administrate)
            }
            if !isReplicated, !document.isDeleted { try await checkDesign(document) }
        }
        if datastore.isPartitioned { try PartitionedID.check(id) }
        guard DatabaseName.systemNames.contains(datastore.name) else { return document }
        let previous = try winnerMembers(id)
        if datastore.name.isIdenticalText(to: ReplicatorDatabase.name) {
            return try ReplicatorDatabase.validated(
                document, previous: previous, principal: principal, hosts: options.replicationHosts,
                limits: datastore.limits)
        }
        guard datastore.name.isIdenticalText(to: UsersDatabase.name) else { return document }
        let user = try await UsersDatabase.validated(
            document, previous: previous, principal: principal, accounts: accounts, limits: datastore.limits,
            iterations: options.iterations, from: clientAddress)
        // As in CouchDB, `_users` is empty after it was made again, and gets its design document later.
        if !DocumentID.isDesign(id) { try await UsersDatabase.addDesign(to: datastore) }
        return user
    }

    /// Checks the members of a design document.
    private func checkDesign(_ document: IncomingDocument) async throws {
        guard !CombiningMarks.areTooMany(inJSON: document.body) else { throw HTTPFailure.tooManyMarks }
        guard let members = try JSONValue(parsing: document.body, limits: datastore.limits.json).objectValue else {
            return
        }
        let check = DesignCheck(members)
        try check.checkShapes()
        try check.checkPartitioning(of: datastore)
        try await check.compile(as: document.id ?? "", in: datastore)
    }
}
