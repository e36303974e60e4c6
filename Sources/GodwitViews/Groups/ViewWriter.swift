//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import GodwitStore

/// The statements that write the rows of one group of views.
struct ViewWriter {
    private let find: SQLiteStatement
    private let note: SQLiteStatement
    private let forget: SQLiteStatement
    private let look: SQLiteStatement
    private let add: SQLiteStatement
    private let delete: SQLiteStatement
    private let spans: SpanWriter

    init(_ tables: ViewTables, on connection: SQLiteConnection) throws {
        let (rows, documents) = (tables.rows, tables.documents)
        find = try connection.statement(composed: "SELECT entries FROM \(documents) WHERE document = ?1")
        note = try connection.statement(composed: "INSERT OR REPLACE INTO \(documents) VALUES(?1, ?2)")
        forget = try connection.statement(composed: "DELETE FROM \(documents) WHERE document = ?1")
        look = try connection.statement(composed: "SELECT key, value FROM \(rows) WHERE entry = ?1")
        add = try connection.statement(composed: "INSERT OR REPLACE INTO \(rows) VALUES(?1, ?2, ?3, ?4, ?5)")
        delete = try connection.statement(composed: "DELETE FROM \(rows) WHERE entry = ?1")
        spans = try SpanWriter(tables, on: connection)
    }

    /// Updates the rows of documents.
    func apply(_ changes: [ViewChange]) throws {
        var additions: [(row: EmittedRow, isNew: Bool)] = []
        for change in changes {
            let old = try entries(of: change.number)
            guard !change.rows.isEmpty else {
                for entry in old { try remove(entry) }
                if !old.isEmpty { try forget(change.number) }
                continue
            }
            let before = Set(old)
            let after = Set(change.rows.map(\.entry))
            for entry in old where !after.contains(entry) { try remove(entry) }
            if before != after { try note(change.rows.map(\.entry), of: change.number) }
            additions += change.rows.map { ($0, !before.contains($0.entry)) }
        }
        // Sorting the rows writes neighbouring B-tree pages together.
        additions.sort { $0.row.entry.bytes.lexicographicallyPrecedes($1.row.entry.bytes) }
        for (row, isNew) in additions { try insert(row, isNew: isNew) }
    }

    /// Returns the entries of a document's rows.
    func entries(of document: Int64) throws -> [ViewEntry] {
        defer { find.reset() }
        find.bind(document, at: 1)
        guard try find.step() else { return [] }
        return find.withBytes(0) { [ViewEntry](decoding: $0) }
    }

    /// Whether a row exists.
    func has(_ entry: ViewEntry) throws -> Bool {
        look.bind(entry.bytes as [UInt8]?, at: 1)
        defer { look.reset() }
        return try look.step()
    }

    private func insert(_ row: EmittedRow, isNew: Bool) throws {
        if !isNew, try isAsBefore(row) { return }
        let level = row.entry.level
        add.bind(row.entry.bytes as [UInt8]?, at: 1)
        add.bind(row.entry.idStart, at: 2)
        add.bind(level, at: 3)
        add.bind(row.key as [UInt8]?, at: 4)
        add.bind(row.value.isNull ? nil : row.value, at: 5)
        try add.run()
        try spans.touch(row.entry.bytes)
        if isNew, level > 0 { for level in 1...level { try spans.add(row.entry.bytes, level: level) } }
    }

    private func isAsBefore(_ row: EmittedRow) throws -> Bool {
        look.bind(row.entry.bytes as [UInt8]?, at: 1)
        defer { look.reset() }
        guard try look.step(), look.bytes(0) == row.key else { return false }
        return look.isNull(1) ? row.value.isNull : look.bytes(1) == row.value
    }

    private func remove(_ entry: ViewEntry) throws {
        try delete.run(binding: entry.bytes, at: 1)
        let level = entry.level
        if level > 0 { for level in 1...level { try spans.remove(entry.bytes, level: level) } }
        try spans.touch(entry.bytes)
    }

    private func note(_ entries: [ViewEntry], of document: Int64) throws {
        note.bind(document, at: 1)
        note.bind(entries.encoded as [UInt8]?, at: 2)
        try note.run()
    }

    private func forget(_ document: Int64) throws {
        forget.bind(document, at: 1)
        try forget.run()
    }
}

extension [UInt8] {
    fileprivate var isNull: Bool { count == 4 && first == UInt8(ascii: "n") }
}

extension [ViewEntry] {
    /// The entries, each as two lengths of four bytes followed by its bytes.
    fileprivate var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(reduce(0) { $0 + 8 + $1.bytes.count })
        for entry in self {
            for count in [entry.bytes.count, entry.idStart] {
                Swift.withUnsafeBytes(of: UInt32(count).bigEndian) { bytes.append(contentsOf: $0) }
            }
            bytes += entry.bytes
        }
        return bytes
    }

    fileprivate init(decoding bytes: UnsafeRawBufferPointer) {
        func number(at position: Int) -> Int {
            Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
        }
        self = []
        var position = 0
        while position + 8 <= bytes.count {
            let end = Swift.min(position + 8 + number(at: position), bytes.count)
            append(ViewEntry(bytes: Array<UInt8>(bytes[position + 8..<end]), idStart: number(at: position + 4)))
            position = end
        }
    }
}
