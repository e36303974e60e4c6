//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite

@testable import GodwitStore

/// A small index for tests: the documents for each value of one member. A design document defines it in its member
/// `members`.
struct MemberIndex: IndexMaintainer {
    let kind: String
    let followsWrites: Bool

    init(kind: String = "member", followsWrites: Bool = true) {
        self.kind = kind
        self.followsWrites = followsWrites
    }

    func definitions(in design: [UInt8]) -> [IndexDefinition] {
        guard let members = (try? JSONValue(parsing: design))?["members"]?.objectValue else { return [] }
        return members.compactMap { name, member in
            member.stringValue.map { IndexDefinition(name: name, text: Array($0.utf8)) }
        }
    }

    func create(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        try connection.execute("CREATE TABLE member_\(index.number)(document INTEGER PRIMARY KEY, id TEXT, value TEXT)")
    }

    func apply(_ changes: [IndexChange], to index: IndexDescription, on connection: SQLiteConnection) throws {
        for change in changes {
            let delete = try connection.statement(composed: "DELETE FROM member_\(index.number) WHERE document = ?1")
            delete.bind(change.number, at: 1)
            try delete.run()
            guard case .changed(let row, let id) = change, !row.winner.isDeleted,
                let value = try JSONValue(parsing: row.body)[String(decoding: index.definition, as: UTF8.self)]
            else { continue }
            let insert = try connection.statement(composed: "INSERT INTO member_\(index.number) VALUES(?1, ?2, ?3)")
            insert.bind(row.number, at: 1)
            insert.bind(id, at: 2)
            insert.bind(value.description, at: 3)
            try insert.run()
        }
    }

    func remove(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        try connection.execute("DROP TABLE IF EXISTS member_\(index.number)")
    }

    func entryCount(
        of row: DocumentRow, storedID: String, in index: IndexDescription, on connection: SQLiteConnection
    ) throws -> Int? {
        let name = String(decoding: index.definition, as: UTF8.self)
        let value = row.winner.isDeleted ? nil : try JSONValue(parsing: row.body)[name]?.description
        let statement = try connection.statement(
            composed: "SELECT value FROM member_\(index.number) WHERE document = ?1")
        defer { statement.reset() }
        statement.bind(row.number, at: 1)
        let stored = try statement.step() ? statement.string(0) : nil
        return stored == value ? (value == nil ? 0 : 1) : nil
    }

    func entryCount(in index: IndexDescription, on connection: SQLiteConnection) throws -> Int {
        let statement = try connection.statement(composed: "SELECT count(*) FROM member_\(index.number)")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }
}

extension Datastore {
    func indexed(_ name: String) throws -> IndexDescription? { try indexDescriptions().first { $0.name == name } }

    /// Defines an index in a separate design document.
    func defineIndex(_ name: String, on member: String) async throws {
        _ = try await create(Document(id: "_design/\(name)", body: ["members": [name: .string(member)]]))
    }

    /// Returns the ids and values in an index, in the order of ids.
    func indexRows(_ name: String) throws -> [String] {
        guard let index = try indexed(name) else { return [] }
        return try read { table in
            let statement = try table.connection.statement(
                composed: "SELECT id || '=' || value FROM member_\(index.number) ORDER BY id")
            defer { statement.reset() }
            var rows: [String] = []
            while try statement.step() { rows.append(statement.string(0)) }
            return rows
        }
    }

    /// Waits until an index is built.
    func waitUntilComplete(_ name: String) async throws {
        while try indexed(name)?.state != .complete { await Task.yield() }
    }

    func catchUp(_ name: String) async throws -> Bool {
        guard let index = try indexed(name) else { return false }
        return try await catchUp(index)
    }
}
