//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitSQLite
import GodwitStore

/// An index of a datastore of Cloudant Sync.
struct CloudantIndex: Sendable {
    let name: String
    var fields: [String]
    let isText: Bool
    /// The tokenizer of a text index.
    let tokenizer: String?

    /// Creates the index in a database. If the database already has an index with this name and definition, nothing is
    /// changed. Throws ``StoreError`` with code ``StoreError/Code/indexExists`` if an index with this name has another
    /// definition.
    func create(in target: any QueryStore) async throws(StoreError) {
        if isText {
            _ = try await target.ensureTextIndex(fields, named: name, analyzer: analyzer, where: nil)
        } else {
            _ = try await target.ensureIndex(
                fields.map { QueryField(stringLiteral: $0) }, named: name, where: nil)
        }
    }

    /// The analyzer that corresponds to the tokenizer of SQLite. The tokenizer `porter` is for English.
    private var analyzer: String { tokenizer?.begins(with: "porter") ?? false ? "english" : "standard" }
}

extension CloudantStore {
    /// Returns the indexes. An index file that cannot be read is recorded as a loss.
    func indexes() async throws(StoreError) -> [CloudantIndex] {
        guard DatabaseFiles.exists(files.indexes) else { return [] }
        do {
            return try await BlockingPool.shared.run { try self.readIndexes() }
        } catch {
            lose(
                "indexes",
                "The file \(files.indexes) cannot be read. Create the indexes with the app's code. (\(error))")
            return []
        }
    }

    private func readIndexes() throws -> [CloudantIndex] {
        let file = try OldFile(files.indexes, key: key)
        defer { file.close() }
        return try file.read { try CloudantStore.indexes(on: $0) }
    }

    private static func indexes(on connection: SQLiteConnection) throws -> [CloudantIndex] {
        var indexes: [ExactText: CloudantIndex] = [:]
        let statement = try connection.statement(
            """
            SELECT index_name, index_type, field_name, index_settings FROM _t_cloudant_sync_query_metadata
            ORDER BY index_name, rowid
            """)
        defer { statement.reset() }
        while try statement.step() {
            let (name, field) = (statement.string(0), statement.string(2))
            let settings = statement.isNull(3) ? nil : try? JSONValue(parsing: statement.string(3))
            var index =
                indexes[ExactText(name)]
                ?? CloudantIndex(
                    name: name, fields: [], isText: statement.string(1).lowercased() == "text",
                    tokenizer: settings?["tokenize"]?.stringValue)
            // Every index of Cloudant Sync has these two fields, so they are left out.
            if !["_id", "_rev"].contains(field) { index.fields.append(field) }
            indexes[ExactText(name)] = index
        }
        return indexes.values.filter { !$0.fields.isEmpty }.sorted { $0.name < $1.name }
    }
}
