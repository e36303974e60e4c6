//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite
import GodwitStore

extension CloudantStore {
    /// A row of the table `docs`.
    struct DocumentRow: Sendable {
        let number: Int
        let id: String
    }

    /// A revision of the table `revs`.
    struct RevisionRow: Sendable {
        let sequence: Int
        /// The sequences of further rows with the same revision id. Schemas below 200 could contain such rows.
        var duplicates: [Int] = []
        let revision: String
        let parent: Int?
        let isDeleted: Bool
    }

    /// An attachment of a revision.
    struct AttachmentRow: Sendable {
        let name: String
        let key: [UInt8]
        let contentType: String
        let revisionPosition: Int
        let isPacked: Bool
    }

    /// The revisions of a document.
    struct Tree: Sendable {
        private let rows: [Int: RevisionRow]
        /// For the sequence of each row, the sequence of the first row with the same revision id.
        private let sequences: [Int: Int]
        /// The rows of the revisions that are not the parent of another revision, in the order of their sequences.
        let leaves: [RevisionRow]

        init(_ rows: [RevisionRow]) {
            var (first, revisions, sequences) = ([String: Int](), [Int: RevisionRow](), [Int: Int]())
            for row in rows.sorted(by: { $0.sequence < $1.sequence }) {
                // Exact: a revision id is ASCII, or it is no revision id.
                let sequence = first[row.revision, default: row.sequence]
                first[row.revision] = sequence
                sequences[row.sequence] = sequence
                if sequence == row.sequence {
                    revisions[sequence] = row
                } else {
                    revisions[sequence]?.duplicates.append(row.sequence)
                }
            }
            let parents = Set(rows.compactMap(\.parent).map { sequences[$0] ?? $0 })
            leaves = revisions.values.filter { !parents.contains($0.sequence) }.sorted { $0.sequence < $1.sequence }
            self.rows = revisions
            self.sequences = sequences
        }

        /// Returns the hashes of a leaf and its ancestors, the leaf first. The list ends where a parent is missing, or
        /// where the parent's generation is not the generation of its child minus 1.
        func history(of leaf: RevisionRow, _ revision: RevisionID) -> [String] {
            var (hashes, generation, row) = ([revision.hashText], revision.generation, leaf)
            while generation > 1, let parent = row.parent.flatMap({ rows[sequences[$0] ?? $0] }),
                let ancestor = RevisionID(parent.revision), ancestor.generation == generation - 1
            {
                hashes.append(ancestor.hashText)
                (generation, row) = (ancestor.generation, parent)
            }
            return hashes
        }
    }

    /// Returns the count of the documents whose `doc_id` is greater than `number`, including deleted documents; 0 if
    /// the file is damaged.
    func documentCount(after number: Int = 0) async throws(StoreError) -> Int {
        do throws(StoreError) {
            return try await run { connection in
                let rows = try connection.rows(
                    "SELECT count(*) FROM docs WHERE doc_id > ?1", { $0.bind(number, at: 1) }, { $0.int(0) })
                return rows.first ?? 0
            }
        } catch {
            guard error.code == .corrupt else { throw error }
            return 0
        }
    }

    /// A document with its revisions, or with the error if the revisions cannot be read.
    struct DocumentTree: Sendable {
        let row: DocumentRow
        let tree: Result<Tree, StoreError>
    }

    /// Returns the documents whose `doc_id` is greater than `number`, in ascending order of `doc_id`. Documents whose
    /// rows cannot be read are recorded as losses.
    ///
    /// - Returns: At most `countMax` documents, and the `doc_id` up to which all documents were read.
    func documents(after number: Int, countMax: Int) async throws(StoreError) -> (documents: [DocumentTree], last: Int)
    {
        try await run { connection in
            let (rows, last) = try self.rows(after: number, countMax, on: connection)
            let documents = rows.map { row in
                DocumentTree(
                    row: row, tree: self.wrappingErrors { try CloudantStore.tree(of: row.number, on: connection) })
            }
            return (documents, last)
        }
    }

    /// Returns the result of a query, or its error.
    func wrappingErrors<Value>(_ query: () throws -> Value) -> Result<Value, StoreError> {
        Result(catching: query).mapError { StoreError(wrapping: $0, subject: files.documents) }
    }

    private func rows(
        after number: Int, _ countMax: Int, on connection: SQLiteConnection
    ) throws -> (rows: [DocumentRow], last: Int) {
        if let rows = try? CloudantStore.documents(after: number, countMax, on: connection) {
            return (rows, rows.last?.number ?? number)
        }
        return try readableDocuments(after: number, countMax, on: connection)
    }

    private static func documents(
        after number: Int, _ countMax: Int, on connection: SQLiteConnection
    ) throws -> [DocumentRow] {
        try connection.rows(
            "SELECT doc_id, docid FROM docs WHERE doc_id > ?1 ORDER BY doc_id LIMIT ?2",
            {
                $0.bind(number, at: 1)
                $0.bind(countMax, at: 2)
            }
        ) { DocumentRow(number: $0.int(0), id: $0.string(1)) }
    }

    /// Reads the documents of a damaged file one by one.
    private func readableDocuments(
        after number: Int, _ countMax: Int, on connection: SQLiteConnection
    ) throws -> (rows: [DocumentRow], last: Int) {
        // The rows of revisions also contain the `doc_id` of documents whose own rows are damaged.
        let queries: [StaticString] = ["SELECT max(doc_id) FROM docs", "SELECT max(doc_id) FROM revs"]
        guard let end = queries.compactMap({ try? connection.integer($0) }).max() else {
            lose("documents after number \(number)", "They cannot be listed: the file is damaged.")
            return ([], number)
        }
        var rows: [DocumentRow] = []
        var last = number
        while rows.count < countMax, last < end {
            last += 1
            let next = last
            do {
                rows += try connection.rows(
                    "SELECT doc_id, docid FROM docs WHERE doc_id = ?1", { $0.bind(next, at: 1) }
                ) {
                    DocumentRow(number: $0.int(0), id: $0.string(1))
                }
            } catch let error as SQLiteError where error.isCorrupt || error.isDamagedPage {
                lose("document number \(next)", "Its id cannot be read: the file is damaged.")
            }
        }
        return (rows, last)
    }

    static func tree(of document: Int, on connection: SQLiteConnection) throws -> Tree {
        Tree(
            try connection.rows(
                "SELECT sequence, revid, parent, deleted FROM revs WHERE doc_id = ?1", { $0.bind(document, at: 1) }
            ) {
                RevisionRow(
                    sequence: $0.int(0), revision: $0.string(1), parent: $0.optionalInt(2), isDeleted: $0.int(3) != 0)
            })
    }

    static func number(of id: String, on connection: SQLiteConnection) throws -> Int? {
        try connection.first("SELECT doc_id FROM docs WHERE docid = ?1", { $0.bind(id, at: 1) }) { $0.int(0) }
    }

    /// Returns the body of a revision, or of the first of its duplicates that has one.
    static func body(of revision: RevisionRow, on connection: SQLiteConnection) throws -> [UInt8]? {
        for sequence in [revision.sequence] + revision.duplicates {
            let body = try connection.first(
                "SELECT json FROM revs WHERE sequence = ?1", { $0.bind(sequence, at: 1) },
                { $0.isNull(0) ? nil : $0.bytes(0) ?? [] })
            if let body = body ?? nil { return body }
        }
        return nil
    }

    /// Returns the attachments of a revision, and those of its duplicates that have other names, as Cloudant Sync's own
    /// migration to the schema 200 does.
    static func attachments(of revision: RevisionRow, on connection: SQLiteConnection) throws -> [AttachmentRow] {
        var (attachments, names) = ([AttachmentRow](), Set<ExactText>())
        for sequence in [revision.sequence] + revision.duplicates {
            attachments += try self.attachments(at: sequence, on: connection).filter {
                names.insert(ExactText($0.name)).inserted
            }
        }
        return attachments
    }

    private static func attachments(at sequence: Int, on connection: SQLiteConnection) throws -> [AttachmentRow] {
        try connection.rows(
            "SELECT filename, key, type, revpos, encoding FROM attachments WHERE sequence = ?1 ORDER BY filename",
            { $0.bind(sequence, at: 1) }
        ) {
            AttachmentRow(
                name: $0.string(0), key: $0.bytes(1) ?? [],
                contentType: $0.isNull(2) ? "application/octet-stream" : $0.string(2), revisionPosition: $0.int(3),
                isPacked: $0.int(4) == 1)
        }
    }

    /// Returns the local documents: their ids without `_local/`, and their texts.
    func localDocuments() async throws(StoreError) -> [(id: String, text: [UInt8])] {
        do throws(StoreError) {
            return try await readLocalDocuments()
        } catch {
            guard error.code == .corrupt else { throw error }
            lose("local documents", "They cannot be read: the file is damaged.")
            return []
        }
    }

    private func readLocalDocuments() async throws(StoreError) -> [(id: String, text: [UInt8])] {
        try await run { connection in
            let hasTable = try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = 'localdocs'")
            guard hasTable > 0 else { return [] }
            return try connection.rows("SELECT docid, json FROM localdocs") { row in
                let id = row.string(0)
                return (
                    id.utf8.starts(with: "_local/".utf8) ? String(id.utf8.dropFirst("_local/".utf8.count)) ?? id : id,
                    row.bytes(1) ?? []
                )
            }
        }
    }
}

extension RevisionID {
    /// The part of the revision id after the generation.
    fileprivate var hashText: String { String(description.drop { $0 != "-" }.dropFirst()) }
}
