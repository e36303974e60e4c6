//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// Checks that complete indexes contain exactly the entries of their documents. Indexes are not checked if they do not
/// contain all changes, if another version of their kind built them, or if their kind is not registered.
struct IndexCheck {
    private let connection: SQLiteConnection
    private let kinds: [String: any IndexKind]
    private let faults: FaultList
    /// The complete indexes, each with the expected number of entries.
    private var indexes: [(index: IndexDescription, entries: Int)] = []

    init(_ table: DocumentTable, kinds: [String: any IndexKind], faults: FaultList) throws {
        connection = table.connection
        self.kinds = kinds
        self.faults = faults
        guard try table.has(.indexes) else { return }
        let complete = try IndexTable(connection).all().filter { index in
            index.state == .complete && kinds[index.kind]?.isCurrent(index) == true
        }
        indexes = complete.map { ($0, 0) }
    }

    /// Checks the entries of documents. Each index is asked for all of them in a row, so that its statements and its
    /// definition are prepared once.
    mutating func check(_ rows: [DocumentRow]) throws {
        for (position, (index, _)) in indexes.enumerated() {
            for row in rows {
                let count = try kinds[index.kind]?.entryCount(of: row, storedID: row.id, in: index, on: connection)
                faults.expect(
                    count != nil, "\(row.id): its entries in the index \(index.name) do not match its document")
                indexes[position].entries += count ?? 0
            }
        }
    }

    /// Checks that the indexes have only the entries of the checked documents. This method is called after all
    /// documents were checked.
    func finish() throws {
        for (index, entries) in indexes {
            let stored = try kinds[index.kind]?.entryCount(in: index, on: connection) ?? 0
            faults.expect(stored == entries, "the index \(index.name) has \(stored) entries, its documents \(entries)")
        }
    }
}
