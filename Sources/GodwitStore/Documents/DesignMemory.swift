//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite
import GodwitThreads

/// What is known of the design documents of a database, until one of them changes: asked at each write, and read from the
/// file once.
final class DesignMemory: Sendable {
    private struct State {
        /// Whether a design document has a member, by its name. The names are the program's own, so they are few.
        var members: [String: Bool] = [:]
        /// What others made of them, by a name of the program's own.
        var made: [String: any Sendable] = [:]
        /// What others made of one of them, by its id.
        var ofDocuments: [String: any Sendable] = [:]
        /// How much that is.
        var ofDocumentsBytes = 0
        /// Grows with each change, so that what was read before one is not kept after it.
        var changes = 0

        mutating func forgetDocuments() {
            ofDocuments = [:]
            ofDocumentsBytes = 0
        }

        mutating func keep(_ value: any Sendable, of id: String, bytes: Int) {
            guard bytes <= StoreLimits.designsKeptBytesMax, ofDocuments[id] == nil else { return }
            if ofDocumentsBytes + bytes > StoreLimits.designsKeptBytesMax { forgetDocuments() }
            ofDocuments[id] = value
            ofDocumentsBytes += bytes
        }
    }

    private let state = Mutex(State())

    /// Forgets everything. Called between a commit that changed design documents and the answers to its writers, and when
    /// the files are closed.
    func forget() {
        state.withLock { state in
            state.members = [:]
            state.made = [:]
            state.forgetDocuments()
            state.changes += 1
        }
    }

    /// What somebody made of the design documents, or else is made now.
    func made<Value: Sendable>(_ name: String, make: () throws -> Value) rethrows -> Value {
        let (known, changes) = state.withLock { ($0.made[name], $0.changes) }
        if let known = known as? Value { return known }
        let value = try make()
        state.withLock { state in
            if state.changes == changes { state.made[name] = value }
        }
        return value
    }

    /// What somebody made of one design document, or else is made now; what is not there is not kept.
    ///
    /// - Parameter bytes: How much memory it takes.
    func made<Value: Sendable>(
        of id: String, bytes: (Value) -> Int, make: () throws -> Value?
    ) rethrows -> Value? {
        let (known, changes) = state.withLock { ($0.ofDocuments[id], $0.changes) }
        if let known = known as? Value { return known }
        guard let value = try make() else { return nil }
        let count = bytes(value)
        state.withLock { state in
            if state.changes == changes { state.keep(value, of: id, bytes: count) }
        }
        return value
    }

    /// What is known of a member, or else found.
    func hasMember(_ name: String, find: () throws -> Bool) rethrows -> Bool {
        let (known, changes) = state.withLock { ($0.members[name], $0.changes) }
        if let known { return known }
        let found = try find()
        state.withLock { state in
            if state.changes == changes { state.members[name] = found }
        }
        return found
    }
}

extension Datastore {
    /// Whether a design document that is not deleted has a member of this name.
    ///
    /// - Parameter member: A name that the program brings, never one from outside: it is kept.
    package func hasDesignDocument(withMember member: String) throws(StoreError) -> Bool {
        do {
            // Owners have design documents of their own, and there may be many owners.
            guard scope.owner == nil else { return try findDesignDocument(withMember: member) }
            return try database.designs.hasMember(member) { try findDesignDocument(withMember: member) }
        } catch {
            throw StoreError(wrapping: error, subject: "reading the design documents of \(name)")
        }
    }

    /// What `make` makes of the design documents, made again when one of them has changed.
    ///
    /// - Parameter name: A name of the program's own: what it stands for is kept.
    package func rememberedOfDesigns<Value: Sendable>(
        _ name: String, make: () throws -> Value
    ) throws -> Value {
        guard scope.owner == nil else { return try make() }
        return try database.designs.made(name, make: make)
    }

    /// What `make` makes of one design document, made again when one of them has changed; `nil` when it makes nothing.
    ///
    /// - Parameters:
    ///   - id: The document's id. All that is kept is of one kind.
    ///   - bytes: How much memory it takes.
    package func rememberedOfDesign<Value: Sendable>(
        _ id: String, bytes: (Value) -> Int, make: () throws -> Value?
    ) throws -> Value? {
        guard scope.owner == nil else { return try make() }
        return try database.designs.made(of: id, bytes: bytes, make: make)
    }

    /// Shows the design documents that are not deleted, by their ids.
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
    /// Shows the design documents that are not deleted, by their ids, until one is what is looked for.
    ///
    /// - Returns: Whether there was one.
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
    /// Whether there is a design document, deleted or not.
    func hasDesigns() throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM documents WHERE id >= ?1 AND id < ?2 LIMIT 1")
        defer { statement.reset() }
        statement.bind(scope.stored(DocumentID.designPrefix), at: 1)
        statement.bind(scope.stored(DocumentID.designsEnd), at: 2)
        return try statement.step()
    }
}
