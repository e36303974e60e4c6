//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Datastore {
    /// The current validation rules; `nil` for none.
    func rules() throws(StoreError) -> (any WriteRules)? {
        guard let validator = database.validator else { return nil }
        do {
            return try validator.rules(of: self)
        } catch {
            throw StoreError(wrapping: error, subject: "reading the design documents of \(name)")
        }
    }

    /// Validates documents against the rules of the database. Returns for each document the error that rejects it;
    /// `nil` if the document is accepted.
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
            throw StoreError(wrapping: error, subject: "validating writes by the design documents of \(name)")
        }
    }

    /// Saves edits that are computed from the state of the database: either all of them or none.
    ///
    /// - Parameter edits: A function that reads the state and computes the edits. It returns `nil` if there is nothing
    ///   to do. It may run several times.
    /// - Returns: The new revisions; `nil` if there was nothing to do.
    /// - Throws: The error that rejects one of the edits, the error that `edits` throws, or a ``StoreError`` with code
    ///   ``StoreError/Code/conflict`` if the state changed in each of `resolutionRoundsMax` rounds.
    func saveTogether(
        _ id: String, source: ChangeSource = .local,
        _ edits: @escaping @Sendable (DocumentTable) throws -> [IncomingDocument]?
    ) async throws(StoreError) -> [RevisionID]? {
        guard let rules = try rules() else {
            return try await transact(source: source) { transaction in
                try edits(transaction.documents)?.map { try transaction.apply($0) }
            }
        }
        for _ in 0..<limits.resolutionRoundsMax {
            guard let validatedEdits = try readTogether(edits) else { return nil }
            if let refusal = try await refusals(of: validatedEdits, by: rules).lazy.compactMap({ $0 }).first {
                throw refusal
            }
            let saved = try await transact(source: source) { transaction -> [RevisionID]? in
                let currentEdits = try edits(transaction.documents) ?? []
                guard currentEdits.elementsEqual(validatedEdits, by: { $0.revision == $1.revision }) else { return nil }
                return try currentEdits.map { try transaction.apply($0) }
            }
            if let saved { return saved }
        }
        throw StoreError.conflict(id: id)
    }
}
