//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
