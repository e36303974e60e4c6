//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a database holds, in numbers.
public struct DatabaseInfo: Sendable {
    /// The database's name.
    public let name: String
    /// Documents whose winner is not deleted.
    public let documentCount: Int
    /// Documents whose winner is deleted.
    public let deletedCount: Int
    /// The place of the last change.
    public let updateSequence: UpdateSequence
    /// The size of the file and its log, in bytes.
    public let fileBytes: Int
    /// The bytes of all winners' bodies.
    public let bodyBytes: Int
}

extension Datastore {
    /// The counters of the database, as of the last commit.
    ///
    /// - Throws: ``StoreError`` when the file cannot be read.
    public func info() throws(StoreError) -> DatabaseInfo {
        let state = hub.current
        let fileBytes = try read { table in
            try table.connection.integer("PRAGMA page_count") * table.connection.integer("PRAGMA page_size")
        }
        return DatabaseInfo(
            name: name, documentCount: state.live, deletedCount: state.deleted,
            updateSequence: sequence(state.sequence), fileBytes: fileBytes, bodyBytes: state.bodyBytes)
    }

    /// The number of documents that are not deleted.
    public var documentCount: Int { hub.current.live }

    /// The place of a change of this database.
    package func sequence(_ number: Int64) -> UpdateSequence {
        UpdateSequence(number: number, epoch: identity.epoch)
    }

    /// The place of the last change.
    public var updateSequence: UpdateSequence { sequence(hub.current.sequence) }

    /// The number to go on from for a place that a client gives.
    ///
    /// A place of another epoch comes from another file: everything is new to that client, so it begins at zero.
    package func start(of sequence: UpdateSequence) -> Int64 {
        guard let epoch = sequence.epoch, epoch != identity.epoch else { return sequence.number }
        return 0
    }
}
