//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// What a database's design documents say against writes is worked out by functions, which may take long and are foreign: an
// edit is held against them before it waits for the writer, with the revision that it follows. That revision's body never
// changes, and an edit of a revision that is no leaf any more is a conflict, so what was found holds until the commit. A
// design document that comes meanwhile counts from the next write on, as in CouchDB. What several edits make of the state
// of the database (a resolution, a deletion with all conflicts) is made once more by the writer, and is asked about anew when
// it differs.
//
// A write of the caller's own closure is the exception: what it writes is known within the transaction alone, so there the
// writer waits for the functions.
//
// The server holds requests against the same functions, as whoever asks. What it hands to the store is not asked about again:
// `Datastore/save(_:)` and `writeEach(_:isReplicated:)` of incoming documents ask nothing.

/// Finds the rules that the writes of a database are held against.
package protocol WriteValidator: Sendable {
    /// The rules of a database as they are now; `nil` when there are none. Asked before each write, so it should remember.
    func rules(of datastore: Datastore) throws -> (any WriteRules)?
}

/// What the writes of a database are held against.
package protocol WriteRules: Sendable {
    /// What speaks against each of some writes; `nil` where nothing does.
    func refusals(of documents: [IncomingDocument], in datastore: Datastore) async throws -> [StoreError?]

    /// What speaks against a write in the midst of a transaction, on the writer's thread; `nil` when nothing does.
    ///
    /// - Parameter table: The documents as the transaction has left them.
    func refusal(of document: IncomingDocument, in table: DocumentTable) throws -> StoreError?
}

extension Datastore {
    /// The rules that writes are held against now; `nil` when there are none.
    func rules() throws(StoreError) -> (any WriteRules)? {
        guard let validator = database.validator else { return nil }
        do {
            return try validator.rules(of: self)
        } catch {
            throw StoreError(wrapping: error, subject: "reading the design documents of \(name)")
        }
    }

    /// What the rules of the database say against each of some writes; `nil` where nothing speaks against one.
    package func refusals(of documents: [IncomingDocument]) async throws(StoreError) -> [StoreError?] {
        guard !documents.isEmpty, let rules = try rules() else { return documents.map { _ in nil } }
        return try await refusals(of: documents, by: rules)
    }

    private func refusals(
        of documents: [IncomingDocument], by rules: any WriteRules
    ) async throws(StoreError) -> [StoreError?] {
        do {
            return try await rules.refusals(of: documents, in: self)
        } catch {
            throw StoreError(wrapping: error, subject: "holding writes against the design documents of \(name)")
        }
    }

    /// Saves edits that are made of the state of the database, all of them or none.
    ///
    /// - Parameter edits: Makes them of what it reads; `nil` when there is nothing to do. It may run several times.
    /// - Returns: The new revisions; `nil` when there was nothing to do.
    /// - Throws: What speaks against one of them, what `edits` threw, or a ``StoreError`` with code
    ///   ``StoreError/Code/conflict`` when the state kept changing.
    func saveTogether(
        _ id: String, source: ChangeSource = .local,
        _ edits: @escaping @Sendable (DocumentTable) throws -> [IncomingDocument]?
    ) async throws(StoreError) -> [RevisionID]? {
        guard let rules = try rules() else {
            return try await transact(source: source) { transaction in
                try edits(transaction.documents)?.map { try transaction.save($0) }
            }
        }
        for _ in 0..<limits.resolutionRoundsMax {
            guard let asked = try readTogether(edits) else { return nil }
            if let refusal = try await refusals(of: asked, by: rules).lazy.compactMap({ $0 }).first { throw refusal }
            let saved = try await transact(source: source) { transaction -> [RevisionID]? in
                let now = try edits(transaction.documents) ?? []
                guard now.elementsEqual(asked, by: { $0.revision == $1.revision }) else { return nil }
                return try now.map { try transaction.save($0) }
            }
            if let saved { return saved }
        }
        throw StoreError.conflict(id: id)
    }
}
