//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore
import GodwitSQLite
import GodwitStore

extension ObjectDirectory {
    /// Creates a container.
    ///
    /// - Returns: Whether the container is new. `false` if the account already has a container with this name. The
    ///   headers of this existing container remain unchanged.
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/invalidName``, ``ObjectError/Code/invalidRequest``,
    ///   ``ObjectError/Code/quotaExceeded``, ``ObjectError/Code/accountNotFound`` or ``ObjectError/Code/diskFull``.
    package func createContainer(
        _ name: String, of account: ObjectAccount, headers: [String: String] = [:]
    ) throws -> Bool {
        try ObjectNames.checkContainer(name)
        try StringTable.check(headers)
        try manager?.checkFreeSpace()
        let bytes = StringTable.bytes(headers)
        return try catalogue.write { connection in
            guard try ObjectDirectory.container(name, of: account.id, on: connection) == nil else { return false }
            let count = try connection.first(
                "SELECT containers FROM accounts WHERE id = ?1", { $0.bind(account.id, at: 1) }
            ) { $0.int(0) }
            guard let count else { throw ObjectError(.accountNotFound, "There is no account \(account.name).") }
            guard count < ObjectLimits.containersPerAccountMax else {
                throw ObjectError(
                    .quotaExceeded, "An account has at most \(ObjectLimits.containersPerAccountMax) containers.")
            }
            try connection.run("INSERT INTO containers(account, name, created, headers) VALUES(?1, ?2, ?3, ?4)") {
                $0.bind(account.id, at: 1)
                $0.bind(name, at: 2)
                $0.bind(ObjectDirectory.now / 1_000, at: 3)
                $0.bind(bytes, at: 4)
            }
            try connection.run("UPDATE accounts SET containers = containers + 1 WHERE id = ?1") {
                $0.bind(account.id, at: 1)
            }
            invariant(connection.changedRows == 1, "a container is counted in its account")
            return true
        }
    }

    /// Returns a container of an account; `nil` if there is none.
    package func container(_ name: String, of account: Int) throws -> ObjectContainer? {
        try catalogue.read { try ObjectDirectory.container(name, of: account, on: $0) }
    }

    private static func container(
        _ name: String, of account: Int, on connection: SQLiteConnection
    ) throws -> ObjectContainer? {
        try connection.first(
            """
            SELECT id, account, name, created, bytes, objects, headers FROM containers WHERE account = ?1 AND name = ?2
            """,
            {
                $0.bind(account, at: 1)
                $0.bind(name, at: 2)
            }, ObjectContainer.init)
    }

    /// Returns the containers with a given name, of all accounts. At most ``ObjectLimits/sliceRowsMax`` containers are
    /// returned.
    package func containers(named name: String) throws -> [ObjectContainer] {
        try catalogue.read { connection in
            try connection.rows(
                """
                SELECT id, account, name, created, bytes, objects, headers FROM containers WHERE name = ?1 LIMIT ?2
                """,
                {
                    $0.bind(name, at: 1)
                    $0.bind(ObjectLimits.sliceRowsMax, at: 2)
                }, ObjectContainer.init)
        }
    }

    /// Returns the containers of an account whose names begin with a prefix and follow a given name, in ascending order
    /// of their names. At most `countMax` containers are returned.
    package func containers(
        of account: Int, prefix: String = "", after name: String = "", countMax: Int
    ) throws -> [ObjectContainer] {
        try catalogue.read { connection in
            let statement = try connection.statement(
                """
                SELECT id, account, name, created, bytes, objects, headers FROM containers
                WHERE account = ?1 AND name > ?2 AND name >= ?3 ORDER BY name LIMIT ?4
                """)
            defer { statement.reset() }
            statement.bind(account, at: 1)
            statement.bind(name, at: 2)
            statement.bind(prefix, at: 3)
            statement.bind(countMax, at: 4)
            var containers: [ObjectContainer] = []
            while try statement.step(), statement.string(2).utf8.starts(with: prefix.utf8) {
                containers.append(try ObjectContainer(statement))
            }
            return containers
        }
    }

    /// Changes the headers that clients gave to a container.
    ///
    /// - Parameter change: A closure that gets the current headers and returns the new headers.
    package func changeHeaders(
        of container: ObjectContainer, _ change: @escaping @Sendable ([String: String]) throws -> [String: String]
    ) throws {
        try catalogue.write { connection in
            let stored = try connection.first(
                "SELECT headers FROM containers WHERE id = ?1", { $0.bind(container.id, at: 1) }
            ) { try StringTable.table(stored: $0.bytes(0)) }
            guard let stored else { throw ObjectError.missing(container: container.name) }
            let headers = try change(stored)
            try StringTable.check(headers)
            try connection.run("UPDATE containers SET headers = ?2 WHERE id = ?1") {
                $0.bind(container.id, at: 1)
                $0.bind(StringTable.bytes(headers), at: 2)
            }
        }
    }

    /// Deletes an empty container. Unfinished uploads in parts are aborted.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/containerNotEmpty`` if the container has objects or more
    ///   than ``ObjectLimits/uploadsOfDeletedMax`` unfinished uploads, or ``ObjectError/Code/overloaded`` while many
    ///   expired objects wait for their removal.
    package func delete(_ container: ObjectContainer) throws {
        try release { connection in
            let now = ObjectDirectory.now / 1_000
            let object = try connection.first(
                "SELECT 1 FROM objects WHERE container = ?1 AND ifnull(expires > ?2, 1) LIMIT 1",
                {
                    $0.bind(container.id, at: 1)
                    $0.bind(now, at: 2)
                }
            ) { _ in true }
            guard object == nil else {
                throw ObjectError(.containerNotEmpty, "The container \(container.name) has objects. Delete them first.")
            }
            try ObjectDirectory.removeExpired(in: container, on: connection)
            let uploads = try connection.rows(
                "SELECT id FROM uploads WHERE container = ?1 LIMIT ?2",
                {
                    $0.bind(container.id, at: 1)
                    $0.bind(ObjectLimits.uploadsOfDeletedMax + 1, at: 2)
                }
            ) { $0.string(0) }
            guard uploads.count <= ObjectLimits.uploadsOfDeletedMax else {
                throw ObjectError(
                    .containerNotEmpty, "The container \(container.name) has many unfinished uploads. Abort them first."
                )
            }
            for upload in uploads { try ObjectDirectory.abort(upload, on: connection) }
            let exists = try connection.first(
                "SELECT 1 FROM containers WHERE id = ?1", { $0.bind(container.id, at: 1) }
            ) { _ in true }
            // In the meantime, another request may have deleted the container.
            guard exists != nil else { throw ObjectError.missing(container: container.name) }
            try connection.run("DELETE FROM containers WHERE id = ?1") { $0.bind(container.id, at: 1) }
            invariant(connection.changedRows == 1, "a container that is removed exists")
            try connection.run("UPDATE accounts SET containers = containers - 1 WHERE id = ?1") {
                $0.bind(container.account, at: 1)
            }
        }
    }

    private static func removeExpired(in container: ObjectContainer, on connection: SQLiteConnection) throws {
        let names = try connection.rows(
            "SELECT name FROM objects WHERE container = ?1 LIMIT ?2",
            {
                $0.bind(container.id, at: 1)
                $0.bind(ObjectLimits.sliceRowsMax + 1, at: 2)
            }
        ) { $0.string(0) }
        guard names.count <= ObjectLimits.sliceRowsMax else {
            throw ObjectError(.overloaded, "Expired objects are being removed. Try again in a minute.")
        }
        for name in names { try remove(name, in: container.id, on: connection) }
    }
}

extension ObjectContainer {
    init(_ row: SQLiteStatement) throws {
        self.init(
            id: row.int(0), account: row.int(1), name: row.string(2), created: row.int(3), bytes: row.int(4),
            objects: row.int(5), headers: try StringTable.table(stored: row.bytes(6)))
    }
}
