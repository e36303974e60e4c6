//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite

/// A cache of data that is derived from the design documents of a database. The data is valid until a design document
/// changes. With this cache, writes need not read the design documents from the file.
final class DesignCache: Sendable {
    private struct State {
        /// Whether a design document has a member, keyed by the member's name. The names are constants of the program,
        /// so there are only a few.
        var members: [String: Bool] = [:]
        /// Values derived from all design documents, keyed by a constant of the program.
        var derivedValues: [String: any Sendable] = [:]
        /// Values derived from one design document, keyed by its id.
        var ofDocuments: [ExactText: any Sendable] = [:]
        /// The memory of `ofDocuments`, in bytes.
        var ofDocumentsBytes = 0
        /// The number of times that the cache was cleared. If the cache was cleared while a value was being computed,
        /// the number has changed, and the value is not stored.
        var changes = 0

        mutating func forgetDocuments() {
            ofDocuments = [:]
            ofDocumentsBytes = 0
        }

        mutating func keep(_ value: any Sendable, of id: ExactText, bytes: Int) {
            guard bytes <= StoreLimits.designsKeptBytesMax, ofDocuments[id] == nil else { return }
            if ofDocumentsBytes + bytes > StoreLimits.designsKeptBytesMax { forgetDocuments() }
            ofDocuments[id] = value
            ofDocumentsBytes += bytes
            invariant(
                ofDocumentsBytes <= StoreLimits.designsKeptBytesMax, "the cache of design documents keeps its limit")
        }
    }

    private let state = Mutex(State())

    /// Clears the cache. Called when the files are closed, and after a commit that changed design documents. After a
    /// commit, it is called before the writers receive their results.
    func forget() {
        state.withLock { state in
            state.members = [:]
            state.derivedValues = [:]
            state.forgetDocuments()
            state.changes += 1
        }
    }

    /// The cached value that is derived from all design documents. If the cache does not contain the value, `make`
    /// computes it and it is cached.
    func made<Value: Sendable>(_ name: String, make: () throws -> Value) rethrows -> Value {
        let (cached, changes) = state.withLock { ($0.derivedValues[name], $0.changes) }
        if let cached = cached as? Value { return cached }
        let value = try make()
        state.withLock { state in
            if state.changes == changes { state.derivedValues[name] = value }
        }
        return value
    }

    /// The cached value that is derived from one design document. If the cache does not contain the value, `make`
    /// computes it and it is cached. `nil`, and a value that uses more memory than `designsKeptBytesMax`, are not
    /// cached.
    ///
    /// - Parameter bytes: Returns the memory that a value uses, in bytes.
    func made<Value: Sendable>(
        of id: String, bytes: (Value) -> Int, make: () throws -> Value?
    ) rethrows -> Value? {
        let id = ExactText(id)
        let (cached, changes) = state.withLock { ($0.ofDocuments[id], $0.changes) }
        if let cached = cached as? Value { return cached }
        guard let value = try make() else { return nil }
        let valueBytes = bytes(value)
        state.withLock { state in
            if state.changes == changes { state.keep(value, of: id, bytes: valueBytes) }
        }
        return value
    }

    /// Whether a design document has a member. If the cache does not contain the answer, `find` computes it and it is
    /// cached.
    func hasMember(_ name: String, find: () throws -> Bool) rethrows -> Bool {
        let (cached, changes) = state.withLock { ($0.members[name], $0.changes) }
        if let cached { return cached }
        let hasMember = try find()
        state.withLock { state in
            if state.changes == changes { state.members[name] = hasMember }
        }
        return hasMember
    }
}

extension Datastore {
    /// Whether a design document that is not deleted has a member of this name.
    ///
    /// - Parameter member: A constant of the program, never a name from a client, because each name stays in the cache.
    package func hasDesignDocument(withMember member: String) throws(StoreError) -> Bool {
        do {
            // Results are cached only for the scope of all documents, because each owner has its own design documents
            // and there may be many owners.
            guard scope.owner == nil else { return try findDesignDocument(withMember: member) }
            return try database.designs.hasMember(member) { try findDesignDocument(withMember: member) }
        } catch {
            throw StoreError(wrapping: error, subject: "reading the design documents of \(name)")
        }
    }

    /// The value that `make` derives from the design documents. The value is cached until a design document changes. In
    /// an owner's scope, nothing is cached.
    ///
    /// - Parameter name: A constant of the program that identifies the value in the cache.
    package func cachedOfDesigns<Value: Sendable>(
        _ name: String, make: () throws -> Value
    ) throws -> Value {
        guard scope.owner == nil else { return try make() }
        return try database.designs.made(name, make: make)
    }

    /// The value that `make` derives from one design document; `nil` if `make` returns `nil`. The value is cached until
    /// a design document changes. In an owner's scope, or if the value is too large, it is not cached.
    ///
    /// - Parameters:
    ///   - id: The id of the design document. For one id, all callers must derive the same type of value.
    ///   - bytes: Returns the memory that a value uses, in bytes.
    package func cachedOfDesign<Value: Sendable>(
        _ id: String, bytes: (Value) -> Int, make: () throws -> Value?
    ) throws -> Value? {
        guard scope.owner == nil else { return try make() }
        return try database.designs.made(of: id, bytes: bytes, make: make)
    }

    /// Calls `body` for each design document that is not deleted, in the order of their ids.
    package func eachDesign(_ body: (DocumentRow) throws -> Void) throws {
        _ = try database.designRows(scope: scope) { row in
            try body(row)
            return false
        }
    }

    private func findDesignDocument(withMember member: String) throws -> Bool {
        let limits = limits
        return try database.designRows(scope: scope) { row in
            try JSONTape(scanning: row.body, limits: limits.json).member(member, of: 0) != nil
        }
    }
}

extension Database {
    /// Calls `isWanted` for the design documents that are not deleted, in the order of their ids, until it returns
    /// `true`.
    ///
    /// - Returns: Whether `isWanted` returned `true` for one of them.
    func designRows(scope: Scope, isWanted: (DocumentRow) throws -> Bool) throws -> Bool {
        var range = IDRange(lower: DocumentID.designPrefix, upper: DocumentID.designsEnd)
        while true {
            let slice = try read { connection in
                try DocumentTable(connection, scope: scope).documents(
                    in: range, descending: false, detail: .bodies, rowsMax: limits.sliceRowsMax,
                    bytesMax: limits.sliceBytesMax)
            }
            for row in slice.rows where try isWanted(row) { return true }
            guard slice.hasMore, let last = slice.rows.last else { return false }
            range.goOn(after: last.id, descending: false)
        }
    }
}

extension DocumentTable {
    /// Whether the database has a design document, deleted or not.
    func hasDesigns() throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM documents WHERE id >= ?1 AND id < ?2 LIMIT 1")
        defer { statement.reset() }
        statement.bind(scope.stored(DocumentID.designPrefix), at: 1)
        statement.bind(scope.stored(DocumentID.designsEnd), at: 2)
        return try statement.step()
    }
}
