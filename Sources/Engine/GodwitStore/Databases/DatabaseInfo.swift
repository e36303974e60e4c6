//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// The counters and sizes of a database.
public struct DatabaseInfo: Sendable {
    /// The database's name.
    public let name: String
    /// The number of documents whose winner is not deleted.
    public let documentCount: Int
    /// The number of documents whose winner is deleted.
    public let deletedCount: Int
    /// The sequence of the last change.
    public let updateSequence: UpdateSequence
    /// The number of the last purge.
    public let purgeSequence: Int64
    /// The size of the file, in bytes, without its write-ahead log.
    public let fileBytes: Int
    /// The free space in the file, in bytes. A compaction returns it to the file system.
    public let freeBytes: Int
    /// The total size of all winners' bodies, in bytes.
    public let bodyBytes: Int

    /// Creates the information about a database from the values of its properties. Sizes are in bytes.
    package init(
        name: String, documentCount: Int, deletedCount: Int, updateSequence: UpdateSequence, purgeSequence: Int64,
        fileBytes: Int, freeBytes: Int, bodyBytes: Int
    ) {
        self.name = name
        self.documentCount = documentCount
        self.deletedCount = deletedCount
        self.updateSequence = updateSequence
        self.purgeSequence = purgeSequence
        self.fileBytes = fileBytes
        self.freeBytes = freeBytes
        self.bodyBytes = bodyBytes
    }
}

extension Datastore {
    /// The counters after the last commit: those of the scope's owner if there is one, otherwise those of the database.
    /// The purge sequence and the sizes of the file are always those of the complete database.
    ///
    /// - Throws: ``StoreError`` when the file cannot be read.
    public func info() throws(StoreError) -> DatabaseInfo {
        let counters = try counters()
        let state = hub.current
        let pages = try read { table in
            (
                all: try table.connection.integer("PRAGMA page_count"),
                free: try table.connection.integer("PRAGMA freelist_count")
            )
        }
        return DatabaseInfo(
            name: name, documentCount: counters.live, deletedCount: counters.deleted,
            updateSequence: sequence(counters.sequence), purgeSequence: state.purges,
            fileBytes: pages.all * StoreLimits.pageBytes, freeBytes: pages.free * StoreLimits.pageBytes,
            bodyBytes: counters.bodyBytes)
    }

    private func counters() throws(StoreError) -> DatabaseState.Counters {
        try scope.ownerKey == nil ? hub.current.counters : read { try $0.counters() }
    }

    /// The number of documents that are not deleted.
    ///
    /// - Throws: ``StoreError`` when the file cannot be read.
    public var documentCount: Int { get throws(StoreError) { try counters().live } }

    /// The sequence of a change of this database.
    package func sequence(_ number: Int64) -> UpdateSequence {
        UpdateSequence(number: number, epoch: identity.epoch)
    }

    /// The sequence of the last change in the database.
    public var updateSequence: UpdateSequence { sequence(hub.current.sequence) }

    /// Returns the number after which a client that has the given sequence continues.
    ///
    /// For a sequence of the current epoch, and for a sequence without an epoch, the result is its number. For a
    /// sequence of a former epoch, the result is also its number, but at most the last number that this epoch has in
    /// common with the file. A sequence of an unknown epoch belongs to another file, so the result is zero. It is also zero
    /// for a number beyond the last change: the file was replaced by an older one, or the number belongs to another file.
    package func start(of sequence: UpdateSequence) -> Int64 {
        guard let epoch = sequence.epoch, !epoch.isIdenticalText(to: identity.epoch) else {
            return sequence.number <= hub.current.sequence ? sequence.number : 0
        }
        return min(sequence.number, database.branches[ExactText(epoch)] ?? 0)
    }
}

extension DocumentTable {
    /// Reads the counters of the database, or of the scope's owner.
    package func counters() throws -> DatabaseState.Counters {
        guard let owner = scope.ownerKey else { return try DatabaseState.read(from: connection).0.counters }
        return try has(.owners) ? .read(owner: owner, from: connection) : DatabaseState.Counters()
    }
}
