//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
public import GodwitQuery
public import GodwitStore
public import GodwitSync
import GodwitTransport

/// Imports a datastore of Cloudant Sync into a local database or a database of a server.
///
/// ```swift
/// for files in try CloudantStoreFiles.find(in: oldDirectory) {
///     let store = try CloudantStore(files, key: oldKey)
///     let report = try await CloudantImporter(store, into: manager.datastore(named: files.name)).run()
///     guard report.isComplete else { print(report.losses); continue }
/// }
/// ```
///
/// Documents keep their revision ids, histories, conflicts, deletions and attachments, so that a later replication with
/// the old server does not transfer data that this server already has. Local documents are imported unless the target
/// has them; indexes are created again. If an import is interrupted, the next import continues it: revisions that the
/// target already has are not written again. The old files are only read. At the end, each leaf and each attachment is
/// compared with the target.
public struct CloudantImporter: Sendable {
    private let store: CloudantStore
    private let target: any DatabaseEndpoint
    private let indexes: any QueryStore

    /// Creates an import into a local database.
    public init(_ store: CloudantStore, into datastore: Datastore) {
        self.init(store, into: LocalEndpoint(datastore), indexes: datastore)
    }

    /// Creates an import into any database.
    ///
    /// - Parameters:
    ///   - target: The database as the target of a replication.
    ///   - indexes: The same database, for its indexes.
    public init(_ store: CloudantStore, into target: any DatabaseEndpoint, indexes: any QueryStore) {
        (self.store, self.target, self.indexes) = (store, target, indexes)
    }

    /// Imports everything, and compares each leaf and each attachment with the target.
    ///
    /// - Parameter onProgress: A closure that is called with the current step, the number of documents for which this
    ///   step is complete, and the number of all documents.
    /// - Returns: The counts, and each loss.
    /// - Throws: ``GodwitTransport/ReplicationError`` or ``GodwitStore/StoreError`` if the target fails or the old file
    ///   cannot be read, and an error if the task is cancelled. The documents that were imported before remain in the
    ///   target.
    public func run(
        onProgress: @escaping @Sendable (CloudantImportStep, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
    ) async throws -> CloudantImportReport {
        var report = CloudantImportReport()
        var replicator = Replicator(from: store, to: target)
        replicator.keepsCheckpoints = false
        let replicated = try await replicator.run { progress in
            onProgress(.writing, progress.changesDone, progress.changesTotal)
        }
        report.documentCount = try await store.documentCount()
        report.revisionsWritten = replicated.counts.documentsWritten
        report.revisionsPresent = replicated.counts.missingChecked - replicated.counts.missingFound
        for failure in replicated.failures { report.lose(CloudantLoss(failure)) }
        report.unlistedLossCount += replicated.counts.writeFailures - replicated.failures.count
        report.localDocumentCount = try await importLocalDocuments()
        report.indexes = try await createIndexes()
        let failed = Set(
            replicated.failures.compactMap { failure in failure.revision.map { ExactText("\(failure.id) \($0)") } })
        let total = report.documentCount
        try await CloudantComparison(store: store, target: target, failed: failed).run(&report) {
            onProgress(.comparing, $0, total)
        }
        report.loseParts(of: store)
        return report
    }

    /// The maximum number of bytes of documents that a survey reads together.
    private static let surveyBytesMax = 1 << 20

    /// Reads all documents, attachments, local documents and indexes, and writes nothing.
    ///
    /// - Returns: The counts, and what could not be imported.
    /// - Throws: ``GodwitStore/StoreError`` or ``GodwitTransport/ReplicationError`` if the file cannot be read, and
    ///   `CancellationError`. Damage of single documents is listed in the report instead.
    public static func survey(
        _ store: CloudantStore,
        onProgress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> CloudantImportReport {
        var report = CloudantImportReport()
        report.documentCount = try await store.documentCount()
        var (after, isLast, done) = (String?.none, false, 0)
        while !isLast {
            let page = try await store.changes(ChangesQuery(after: after, limit: CloudantComparison.pageCount))
            var wanted = page.changes.map { WantedRevisions(id: $0.id, revisions: $0.revisions) }
            while !wanted.isEmpty {
                try Task.checkCancellation()
                let read = try await store.read(wanted, bytesMax: surveyBytesMax, attachmentBytesMax: -1)
                report.revisionsPresent += read.documents.count
                report.attachmentCount += read.documents.reduce(0) { $0 + $1.attachments.count }
                for failure in read.failures { report.lose(CloudantLoss(failure)) }
                wanted = read.unread
            }
            done += page.changes.count
            onProgress(done, report.documentCount)
            (after, isLast) = (page.lastSequence, page.isLast)
        }
        report.localDocumentCount = try await store.localDocuments().count
        report.indexes = try await store.indexes().map(\.name)
        report.loseParts(of: store)
        return report
    }

    /// Writes the local documents that the target does not have.
    ///
    /// - Returns: The number of local documents of the old datastore that the target now has.
    private func importLocalDocuments() async throws -> Int {
        var count = 0
        for (id, text) in try await store.localDocuments() {
            guard let body = (try? store.value(parsing: text, of: "_local/\(id)"))?.objectValue else {
                store.lose("_local/\(id)", "The local document is no JSON object.")
                continue
            }
            let members = JSONObject(body.filter { $0.key.utf8.first != UInt8(ascii: "_") }.map { ($0.key, $0.value) })
            do throws(ReplicationError) {
                if try await target.checkpoint(id) == nil { try await target.saveCheckpoint(id, members) }
                count += 1
            } catch {
                guard !error.isTransient else { throw error }
                store.lose("_local/\(id)", error.message)
            }
        }
        return count
    }

    /// - Returns: The names of the indexes of the old datastore that the target now has.
    private func createIndexes() async throws -> [String] {
        var names: [String] = []
        for index in try await store.indexes() {
            do {
                try await index.create(in: indexes)
                names.append(index.name)
            } catch {
                store.lose("index \(index.name)", error.message)
            }
        }
        return names
    }
}

/// A step of an import.
public enum CloudantImportStep: String, Sendable {
    /// Documents are written.
    case writing
    /// The old datastore is compared with the target.
    case comparing
}

/// The result of an import.
public struct CloudantImportReport: Sendable {
    /// The number of documents of the datastore, including deleted ones.
    public internal(set) var documentCount = 0
    /// The number of revisions that were written.
    public internal(set) var revisionsWritten = 0
    /// The number of revisions that the target already had; in a survey, the number of revisions that can be read.
    public internal(set) var revisionsPresent = 0
    /// The number of revisions that the comparison at the end found in the target.
    public internal(set) var revisionsCompared = 0
    /// The number of attachments that have the same bytes in the target; in a survey, the number of attachments that
    /// can be read.
    public internal(set) var attachmentCount = 0
    /// The number of local documents in the target.
    public internal(set) var localDocumentCount = 0
    /// The names of the old indexes that the target has; in a survey, the names of all old indexes.
    public internal(set) var indexes: [String] = []
    /// The parts that could not be imported, with the reasons, at most ``lossesMax``.
    public private(set) var losses: [CloudantLoss] = []
    /// The number of losses that are not in ``losses``, because that list or ``CloudantStore/losses`` was full.
    public internal(set) var unlistedLossCount = 0

    /// The parts that were imported with a change, with the reasons, at most ``CloudantStore/lossesMax``.
    public internal(set) var repairs: [CloudantLoss] = []
    /// The number of changed parts that are not in ``repairs``.
    public internal(set) var unlistedRepairCount = 0

    /// The maximum number of losses that are listed.
    public static let lossesMax = 10_000

    /// Whether nothing was lost. If `false`, keep the old files.
    public var isComplete: Bool { losses.isEmpty && unlistedLossCount == 0 }

    mutating func lose(_ loss: CloudantLoss) {
        if losses.count < CloudantImportReport.lossesMax { losses.append(loss) } else { unlistedLossCount += 1 }
    }

    /// Adds the parts of a datastore that could not be read, or only with a change.
    mutating func loseParts(of store: CloudantStore) {
        (repairs, unlistedRepairCount) = (store.repairs, store.unlistedRepairCount)
        for loss in store.losses { lose(loss) }
        unlistedLossCount += store.unlistedLossCount
    }
}

extension CloudantLoss {
    /// Creates the loss of a revision that could not be replicated.
    fileprivate init(_ failure: ReplicationFailure) {
        self.init(subject: "\(failure.id)\(failure.revision.map { " at \($0)" } ?? "")", reason: failure.reason)
    }
}
