//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore
import GodwitSQLite
import GodwitStore

/// An entry of a listing.
package enum ListedEntry: Sendable {
    case object(ObjectRecord)
    /// A common prefix, which ends with the delimiter.
    case prefix(String)

    /// The name or the prefix.
    package var name: String {
        switch self {
        case .object(let record): record.name
        case .prefix(let prefix): prefix
        }
    }
}

/// The part of a container to list.
package struct ListingRequest: Sendable {
    /// The text with which all listed names begin; empty for all names.
    package var prefix = ""
    /// The text that groups names. If several names are equal from the beginning to the first delimiter after
    /// ``prefix``, they are listed as one entry, their common prefix. If the delimiter is empty, names are not grouped.
    package var delimiter = ""
    /// The name after which the listing begins. The entries follow this name in the order of the listing. If it is
    /// empty, the listing begins with the first entry.
    package var after = ""
    /// The name before which the listing ends. The entries precede this name in the order of the listing. If it is
    /// empty, the listing ends with the last entry.
    package var end = ""
    /// Whether the names are listed in descending order.
    package var isDescending = false
    /// The largest number of entries. Objects and common prefixes are both counted.
    package var countMax = 1_000

    /// Creates a request for the first entries of a container, in ascending order.
    package init() {}
}

extension ObjectDirectory {
    /// Lists a part of a container in bytewise order of the names. Expired objects are left out.
    ///
    /// Names that begin with a common prefix are not read one by one. Instead, a search in the index finds the first
    /// name after them. Therefore the work depends on the number of entries, and not on the number of objects.
    ///
    /// - Returns: The entries, and whether more follow.
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/cancelled`` if the work of the request was cancelled.
    package func list(
        _ container: ObjectContainer, _ request: ListingRequest
    ) throws -> (entries: [ListedEntry], hasMore: Bool) {
        var listing = Listing(request)
        while !listing.isComplete {
            if WorkBudget.current?.isCancelled == true { throw ObjectError(.cancelled, "The client has gone.") }
            try catalogue.read { try listing.readSlice(of: container.id, on: $0) }
        }
        return (listing.entries, listing.hasMore)
    }
}

/// A listing in progress.
private struct Listing {
    private let request: ListingRequest
    private let prefix: [UInt8]
    private let delimiter: [UInt8]
    private(set) var entries: [ListedEntry] = []
    private(set) var hasMore = false
    private(set) var isComplete: Bool
    /// The name from which the next slice begins, in bytes; `nil` for the beginning.
    private var bound: [UInt8]?
    private var includesBound = false
    private let now = ObjectDirectory.now / 1_000

    init(_ request: ListingRequest) {
        self.request = request
        prefix = Array(request.prefix.utf8)
        delimiter = Array(request.delimiter.utf8)
        isComplete = request.countMax <= 0
        let after = Array(request.after.utf8)
        if request.isDescending {
            // In descending order, names that follow all names with the prefix are skipped.
            let end = prefix.isEmpty ? nil : Listing.successor(of: prefix)
            bound = [request.after.isEmpty ? nil : after, end].compactMap { $0 }.min { Listing.precedes($0, $1) }
        } else if Listing.precedes(after, prefix) || after == prefix && request.after.isEmpty {
            (bound, includesBound) = (prefix, true)
        } else if let common = after.commonPrefix(after: prefix, to: delimiter) {
            // The previous page ended with a common prefix. Names that begin with it are skipped, because they were
            // listed as one entry.
            bound = Listing.successor(of: common)
            includesBound = true
        } else {
            bound = after
        }
    }

    private static func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool { one.lexicographicallyPrecedes(other) }

    /// Returns the first text after all texts that begin with a prefix, in bytes. This is the prefix followed by the
    /// byte 0xff, which no name contains because names are UTF-8.
    private static func successor(of prefix: [UInt8]) -> [UInt8] { prefix + [0xff] }

    mutating func readSlice(of container: Int, on connection: SQLiteConnection) throws {
        let statement = try request.isDescending ? descending(on: connection) : ascending(on: connection)
        defer { statement.reset() }
        statement.bind(container, at: 1)
        statement.bind(bound ?? [], at: 2)
        statement.bind(includesBound || bound == nil ? 1 : 0, at: 3)
        statement.bind(ObjectLimits.sliceRowsMax, at: 4)
        var rowCount = 0
        while try statement.step() {
            rowCount += 1
            guard try read(statement) else { return }
        }
        if rowCount < ObjectLimits.sliceRowsMax { isComplete = true }
    }

    private func ascending(on connection: SQLiteConnection) throws -> SQLiteStatement {
        try connection.statement(
            """
            SELECT name, bytes, tag, modified, expires, properties, NULL, NULL FROM objects
            WHERE container = ?1 AND name >= CAST(?2 AS TEXT) AND (?3 OR name > CAST(?2 AS TEXT))
            ORDER BY name LIMIT ?4
            """)
    }

    private func descending(on connection: SQLiteConnection) throws -> SQLiteStatement {
        if bound == nil {
            return try connection.statement(
                """
                SELECT name, bytes, tag, modified, expires, properties, NULL, NULL FROM objects
                WHERE container = ?1 AND ?2 IS NOT NULL AND ?3 ORDER BY name DESC LIMIT ?4
                """)
        }
        return try connection.statement(
            """
            SELECT name, bytes, tag, modified, expires, properties, NULL, NULL FROM objects
            WHERE container = ?1 AND name < CAST(?2 AS TEXT) AND ?3 IN (0, 1) ORDER BY name DESC LIMIT ?4
            """)
    }

    /// Adds the entry of a row.
    ///
    /// - Returns: Whether the listing continues with the next row of the slice. `false` if the listing is complete, or
    ///   if it must continue at another name.
    private mutating func read(_ row: SQLiteStatement) throws -> Bool {
        let name = row.string(0)
        let bytes = Array(name.utf8)
        (bound, includesBound) = (bytes, false)
        guard bytes.starts(with: prefix) else {
            // The name does not begin with the prefix. In ascending order, the listing is complete, because no further
            // name begins with the prefix. In descending order, the listing is complete only if this name precedes the
            // prefix.
            isComplete = request.isDescending ? Listing.precedes(bytes, prefix) : true
            return !isComplete
        }
        if !request.end.isEmpty {
            let end = Array(request.end.utf8)
            isComplete = request.isDescending ? !Listing.precedes(end, bytes) : !Listing.precedes(bytes, end)
            if isComplete { return false }
        }
        if let expires = row.optionalInt(4), expires <= now { return true }
        guard entries.count < request.countMax else {
            (hasMore, isComplete) = (true, true)
            return false
        }
        guard let common = bytes.commonPrefix(after: prefix, to: delimiter) else {
            entries.append(.object(try ObjectRecord(row)))
            return true
        }
        entries.append(.prefix(String(decoding: common, as: UTF8.self)))
        bound = request.isDescending ? common : Listing.successor(of: common)
        includesBound = !request.isDescending
        return false
    }
}

extension [UInt8] {
    /// Returns the part of a name up to the first delimiter after a prefix; `nil` if there is none.
    func commonPrefix(after prefix: [UInt8], to delimiter: [UInt8]) -> [UInt8]? {
        guard !delimiter.isEmpty, starts(with: prefix), count >= prefix.count + delimiter.count else { return nil }
        for start in prefix.count...count - delimiter.count
        where self[start..<start + delimiter.count].elementsEqual(delimiter) {
            return Array(self[..<(start + delimiter.count)])
        }
        return nil
    }
}
