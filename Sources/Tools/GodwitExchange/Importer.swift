//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitStore

/// Writes the records of a file to a database, batch by batch.
///
/// A record without an id gets an id that is derived from its content, so that a repeated import creates no duplicates.
package struct Importer {
    /// A record that is not written yet.
    private struct PendingRecord {
        let number: Int
        let line: Int
        let document: Document
    }

    private let store: any DocumentStore
    private let policy: ConflictPolicy
    private let onProgress: (_ readBytes: Int) throws -> Void
    private var report = ImportReport()
    private var ids = ImportedIDs()
    private var batch: [PendingRecord] = []
    private var batchBytes = 0

    /// Creates an importer.
    ///
    /// - Parameters:
    ///   - store: The database.
    ///   - policy: The action for records whose ids already exist in the database.
    ///   - onProgress: A closure that is called with the number of bytes that were read. It is called after each full
    ///     batch that was written. It is called once more at the end of reading, even if the rest of the file could not
    ///     be read or the last records could not be written. If a full batch cannot be written, the import ends, and
    ///     the closure is not called again. If the closure throws an error, the import ends, and ``run(_:)`` throws
    ///     this error. Earlier batches remain in the database.
    package init(
        into store: any DocumentStore, onConflict policy: ConflictPolicy = .skip,
        onProgress: @escaping (_ readBytes: Int) throws -> Void = { _ in }
    ) {
        self.store = store
        self.policy = policy
        self.onProgress = onProgress
    }

    /// Imports a file.
    ///
    /// - Returns: The counts of all records, and the failures. The import ends early, with a reason, when the rest of
    ///   the file cannot be read or the database cannot be written to.
    /// - Throws: An error of `onProgress`.
    package mutating func run(_ reader: some RecordReader) async throws -> ImportReport {
        var reader = reader
        while let record = next(of: &reader) {
            addToBatch(record)
            guard isBatchFull else { continue }
            guard await writeBatch() else { return report }
            try onProgress(reader.usedCount)
        }
        _ = await writeBatch()
        try onProgress(reader.usedCount)
        return report
    }

    /// Reads the next record. Returns `nil` at the end of the file, and when the rest of the file cannot be read.
    private mutating func next(of reader: inout some RecordReader) -> FileRecord? {
        do throws(ExchangeError) {
            return try reader.next()
        } catch {
            report.stopReason = error.description
            return nil
        }
    }

    private var isBatchFull: Bool {
        batch.count >= ExchangeLimits.batchDocumentsMax || batchBytes >= ExchangeLimits.batchBytesMax
    }

    /// Counts a record. Adds the record to the batch if it can be imported and does not repeat an earlier record.
    private mutating func addToBatch(_ record: FileRecord) {
        report.readCount += 1
        var recordID: String?
        do throws(RecordError) {
            let document = try record.content.get()
            recordID = document.id
            let id: String
            if let recordID {
                id = recordID
            } else {
                id = try document.derivedID()
                report.derivedCount += 1
            }
            switch ids.add(id, document) {
            case .repeated: report.repeatedCount += 1
            case .taken:
                throw RecordError(
                    "another record of the file has the id \(id) but different content. Change the id of one of them, "
                        + "or choose another source of the ids with --id.")
            case .first:
                batch.append(
                    PendingRecord(
                        number: record.number, line: record.line,
                        document: Document(id: id, body: document.body, attachments: document.attachments)))
                batchBytes += document.byteCount
            }
        } catch {
            report.add(.init(number: record.number, line: record.line, id: recordID, reason: error.reason))
        }
    }

    private mutating func fail(_ record: PendingRecord, _ reason: String) {
        report.add(.init(number: record.number, line: record.line, id: record.document.id, reason: reason))
    }

    /// Writes the batch.
    ///
    /// - Returns: Whether the database could be written to.
    private mutating func writeBatch() async -> Bool {
        let records = batch
        (batch, batchBytes) = ([], 0)
        guard !records.isEmpty else { return true }
        do throws(StoreError) {
            let outcomes = try await store.writeEach(records.map { .create($0.document) })
            var existing: [PendingRecord] = []
            for (record, outcome) in zip(records, outcomes) {
                switch outcome {
                case .success: report.writtenCount += 1
                case .failure(let error) where error.code == .conflict: existing.append(record)
                case .failure(let error): fail(record, error.message)
                }
            }
            try await applyPolicy(to: existing)
        } catch {
            report.stopReason = error.message
            return false
        }
        return true
    }

    /// Applies the policy to records whose ids exist in the database.
    private mutating func applyPolicy(to records: [PendingRecord]) async throws(StoreError) {
        guard !records.isEmpty else { return }
        switch policy {
        case .skip: report.skippedCount += records.count
        case .fail: for record in records { fail(record, "the document is in the database already") }
        case .replace: try await replace(records)
        }
    }

    private mutating func replace(_ records: [PendingRecord]) async throws(StoreError) {
        let stored = try await store.documents(records.map { $0.document.id ?? "" })
        var edits: [(record: PendingRecord, edit: DocumentEdit)] = []
        for (record, stored) in zip(records, stored) {
            let newDocument = record.document
            if let stored, stored.body == newDocument.body, stored.attachments.isEmpty, newDocument.attachments.isEmpty
            {
                report.skippedCount += 1
                continue
            }
            let replacement = Document(
                id: newDocument.id, revision: stored?.revision, isDeleted: false, body: newDocument.body,
                attachments: newDocument.attachments)
            edits.append((record, stored == nil ? .create(replacement) : .update(replacement)))
        }
        let outcomes = try await store.writeEach(edits.map(\.edit))
        for ((record, _), outcome) in zip(edits, outcomes) {
            switch outcome {
            case .success: report.replacedCount += 1
            case .failure(let error): fail(record, error.message)
            }
        }
    }
}
