//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitKeys
import GodwitSQLite
public import GodwitStore
import GodwitTransport

import struct Synchronization.Atomic

// Cloudant Sync stores a revision as a row of `revs` with the sequence of its parent; a leaf is a row that is not the
// parent of another row. The indexes of the file cannot be used, because only the old library has the collation by
// which they are sorted. Therefore, all rows of a document are read together.

/// A datastore of Cloudant Sync, whose files are only read.
///
/// It is a source for replications. It provides each document with all leaves, including deletions, and each leaf with
/// its history, its attachments and its existing revision id. The replication reports documents that cannot be read;
/// ``losses`` lists all other parts that cannot be read.
public final class CloudantStore: Sendable {
    /// The paths of the files.
    public let files: CloudantStoreFiles
    let key: EncryptionKey?
    private let file: OldFile
    let blobs: CloudantBlobs
    private let lossList = Mutex<[ExactText: CloudantLoss]>([:])
    private let unlistedLosses = Atomic(0)
    private let repairList = Mutex<[ExactText: CloudantLoss]>([:])
    private let unlistedRepairs = Atomic(0)

    /// Files whose schema version (SQLite's `user_version`) is this version or higher are refused. Cloudant Sync
    /// refuses the same versions.
    private static let unknownVersionMin = 300

    /// Opens a datastore. Blocks the thread for disk access.
    ///
    /// - Parameters:
    ///   - files: The paths of the files.
    ///   - key: The key of an encrypted datastore: the 32 bytes that its key provider returned; `nil` for a datastore
    ///     without encryption.
    /// - Throws: ``GodwitStore/StoreError`` with code ``GodwitStore/StoreError/Code/notFound`` if the file is absent,
    ///   ``GodwitStore/StoreError/Code/encrypted`` or ``GodwitStore/StoreError/Code/wrongKey`` if the key does not
    ///   match, ``GodwitStore/StoreError/Code/notEncrypted`` if a key is given for a datastore without encryption,
    ///   ``GodwitStore/StoreError/Code/formatTooNew`` if the schema version is too high, or
    ///   ``GodwitStore/StoreError/Code/corrupt`` if the file does not have the tables of Cloudant Sync.
    public init(_ files: CloudantStoreFiles, key: EncryptionKey? = nil) throws(StoreError) {
        self.files = files
        self.key = key
        let opened = try OldFile(files.documents, key: key)
        do {
            blobs = try opened.read { connection in
                try CloudantStore.check(connection, files.documents)
                return CloudantBlobs(
                    folder: files.attachments, key: key, names: try CloudantStore.fileNames(connection))
            }
        } catch {
            throw StoreError(wrapping: error, subject: files.documents)
        }
        file = opened
    }

    private static func check(_ connection: SQLiteConnection, _ path: String) throws {
        let tables = try connection.integer(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('docs', 'revs', 'attachments')")
        guard tables == 3 else {
            throw StoreError(.corrupt, "\(path) is no datastore of Cloudant Sync: it has other tables.")
        }
        let version = try connection.integer("PRAGMA user_version")
        guard version < unknownVersionMin else {
            throw StoreError(
                .formatTooNew,
                "\(path) has the version \(version) of the schema. Versions below \(unknownVersionMin) are known.")
        }
    }

    /// Returns the file names of attachments. The key of each name is the SHA-1 of the attachment's bytes. Files with a
    /// schema version below 200 have no table of these names.
    private static func fileNames(_ connection: SQLiteConnection) throws -> [String: String] {
        let hasTable = try connection.integer(
            "SELECT count(*) FROM sqlite_master WHERE name = 'attachments_key_filename'")
        guard hasTable > 0 else { return [:] }
        let rows = try connection.rows("SELECT key, filename FROM attachments_key_filename") {
            ($0.string(0).lowercased(), $0.string(1))
        }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    /// Closes the file. After that, all methods that read the file throw an error.
    public func close() { file.close() }

    /// Runs a query on the blocking pool.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws -> Result
    ) async throws(StoreError) -> Result {
        do {
            return try await BlockingPool.shared.run { try self.file.read(body) }
        } catch {
            throw StoreError(wrapping: error, subject: files.documents)
        }
    }

    // MARK: Losses

    /// The parts other than revisions that could not be read so far: attachments, documents without an id, local
    /// documents and indexes. Documents are read without the attachments that cannot be read. The list has at most
    /// ``lossesMax`` parts. Further parts are only counted, in ``unlistedLossCount``.
    public var losses: [CloudantLoss] { lossList.withLock { Array($0.values) }.sorted { $0.subject < $1.subject } }

    /// The number of parts that could not be read and are not in ``losses``. A part that was read several times is
    /// counted several times.
    public var unlistedLossCount: Int { unlistedLosses.load(ordering: .relaxed) }

    /// The maximum number of losses in a list.
    public static let lossesMax = 1_000

    /// The revisions and local documents that are read with a change, because they could not be kept as they are; at
    /// most ``lossesMax``. Further ones are only counted, in ``unlistedRepairCount``.
    public var repairs: [CloudantLoss] { repairList.withLock { Array($0.values) }.sorted { $0.subject < $1.subject } }

    /// The number of repairs that are not in ``repairs``. A part that was read several times is counted several times.
    public var unlistedRepairCount: Int { unlistedRepairs.load(ordering: .relaxed) }

    func lose(_ subject: String, _ reason: String) {
        if !lossList.add(CloudantLoss(subject: subject, reason: reason)) {
            unlistedLosses.wrappingAdd(1, ordering: .relaxed)
        }
    }

    func repair(_ subject: String, _ reason: String) {
        if !repairList.add(CloudantLoss(subject: subject, reason: reason)) {
            unlistedRepairs.wrappingAdd(1, ordering: .relaxed)
        }
    }
}

extension Mutex<[ExactText: CloudantLoss]> {
    /// Adds a part. Returns `false` if the list already has ``CloudantStore/lossesMax`` other parts.
    fileprivate func add(_ part: CloudantLoss) -> Bool {
        withLock { list in
            guard list.count < CloudantStore.lossesMax || list[ExactText(part.subject)] != nil else { return false }
            list[ExactText(part.subject)] = part
            return true
        }
    }
}

/// A part of a datastore that could not be imported, or only with a change.
public struct CloudantLoss: Hashable, Sendable, CustomStringConvertible {
    /// The document, attachment, local document or index.
    public let subject: String
    /// The reason, as a sentence.
    public let reason: String

    /// Creates a loss.
    public init(subject: String, reason: String) { (self.subject, self.reason) = (subject, reason) }

    /// The subject and the reason in one line.
    public var description: String { "\(subject): \(reason)" }
}
