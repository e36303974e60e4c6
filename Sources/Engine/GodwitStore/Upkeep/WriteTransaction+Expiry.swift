//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitFoundation
import GodwitSQLite

// A document can have an expiration time. The expiration time belongs to this file. It is not part of a revision, and
// it is not replicated. When the time has passed, the document is purged, and its leaves are remembered for at least
// `expiredRememberedDays`. During this time, a push from a peer that still has these leaves treats them as known, and a
// pull skips them. If they were not remembered, the next replication would restore them.

extension WriteTransaction {
    /// Sets or removes the time at which a document is purged from this database. See ``Datastore/expire(_:at:)``.
    ///
    /// - Parameter date: The time, exact to the millisecond; `nil` to keep the document.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the document is absent.
    public func expire(_ id: String, at date: Date?) throws {
        try checkIsOpen()
        guard try documents.row(id: id) != nil else { throw StoreError.missing(id: id) }
        try setExpiration(date, of: id)
    }

    func setExpiration(_ date: Date?, of id: String) throws {
        guard let date else {
            guard group.memory.tables.contains(.expiry) else { return }
            let statement = try connection.statement("DELETE FROM expiry WHERE id = ?1")
            statement.bind(scope.stored(id), at: 1)
            return try statement.run()
        }
        try group.ensure(.expiry)
        let statement = try connection.statement("INSERT OR REPLACE INTO expiry VALUES(?1, ?2)")
        statement.bind(scope.stored(id), at: 1)
        let milliseconds = date.millisecondsSince1970
        statement.bind(milliseconds, at: 2)
        try statement.run()
        // The stored time is scheduled. A time that is not a number cannot be compared with others.
        group.note(expiration: Date(millisecondsSince1970: milliseconds))
    }

    /// Purges at most `rowsMax` expired documents, and forgets revisions that were remembered for
    /// `expiredRememberedDays`.
    ///
    /// - Returns: The ids of the purged documents.
    func removeExpired(now: Date, rowsMax: Int) throws -> [String] {
        guard group.memory.tables.contains(.expiry) else { return [] }
        try group.ensure(.expired)
        let ids = try documents.expiring(until: now, rowsMax: rowsMax)
        for id in ids {
            for revision in try purge(id) { try rememberExpired(revision, of: id, at: now) }
            try setExpiration(nil, of: id)
        }
        let deleteStatement = try connection.statement("DELETE FROM expired WHERE time < ?1")
        deleteStatement.bind(now.millisecondsSince1970 - limits.expiredRememberedDays * 86_400_000, at: 1)
        try deleteStatement.run()
        return ids
    }

    private func rememberExpired(_ revision: RevisionID, of id: String, at now: Date) throws {
        let statement = try connection.statement("INSERT OR REPLACE INTO expired VALUES(?1, ?2, ?3)")
        statement.bind(scope.stored(id), at: 1)
        statement.bind(revision.encoded, at: 2)
        statement.bind(now.millisecondsSince1970, at: 3)
        try statement.run()
    }

    /// Whether a revision was purged because its document had expired.
    func isExpired(_ revision: RevisionID, of id: String) throws -> Bool {
        try group.memory.tables.contains(.expired) && documents.isExpired(revision, of: id)
    }
}

extension DocumentTable {
    /// The time at which a document is purged; `nil` if none is set.
    package func expiration(of id: String) throws -> Date? {
        guard try has(.expiry) else { return nil }
        let statement = try connection.statement("SELECT time FROM expiry WHERE id = ?1")
        defer { statement.reset() }
        statement.bind(scope.stored(id), at: 1)
        return try statement.step() ? Date(millisecondsSince1970: statement.int(0)) : nil
    }

    /// The earliest expiration time of any document; `nil` if none is set.
    func nextExpiration() throws -> Date? {
        guard try has(.expiry) else { return nil }
        let statement = try connection.statement("SELECT time FROM expiry ORDER BY time LIMIT 1")
        defer { statement.reset() }
        return try statement.step() ? Date(millisecondsSince1970: statement.int(0)) : nil
    }

    fileprivate func expiring(until now: Date, rowsMax: Int) throws -> [String] {
        let statement = try connection.statement("SELECT id FROM expiry WHERE time <= ?1 ORDER BY time LIMIT ?2")
        defer { statement.reset() }
        statement.bind(now.millisecondsSince1970, at: 1)
        statement.bind(rowsMax, at: 2)
        var ids: [String] = []
        while try statement.step() { ids.append(scope.visible(statement.string(0))) }
        return ids
    }

    /// Whether a revision was purged because its document had expired.
    func isExpired(_ revision: RevisionID, of id: String) throws -> Bool {
        guard try has(.expired) else { return false }
        let statement = try connection.statement("SELECT 1 FROM expired WHERE id = ?1 AND revision = ?2")
        defer { statement.reset() }
        statement.bind(scope.stored(id), at: 1)
        statement.bind(revision.encoded, at: 2)
        return try statement.step()
    }
}

extension Date {
    /// The milliseconds since 1970, rounded. The value is limited to ±`Int64.max / 2`. For a time that is not a number,
    /// the current time is used.
    var millisecondsSince1970: Int {
        let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
        guard !milliseconds.isNaN else { return Date().millisecondsSince1970 }
        return Int(min(max(milliseconds, Double(Int64.min / 2)), Double(Int64.max / 2)))
    }

    fileprivate init(millisecondsSince1970 milliseconds: Int) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}
