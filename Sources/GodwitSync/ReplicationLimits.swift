//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The named limits of a replication.
public struct ReplicationLimits: Sendable {
    /// Changes read at a time; a checkpoint is written after each such page, so an interrupted replication reads at
    /// most this many changes again.
    public var changesPerPageMax = 1_000

    /// Revisions fetched and written at a time.
    public var revisionsPerBatchMax = 100

    /// Bytes of documents in one `_bulk_docs` request, unless one document alone is longer.
    public var writeBytesMax = 8 << 20

    /// The longest answer of a peer that is held in memory, in bytes.
    public var responseBytesMax = 96 << 20

    /// How long one request to a peer may take, in seconds.
    public var requestSecondsMax = 300

    /// Entries kept in the history of a checkpoint. CouchDB's number.
    public static let historyMax = 50

    /// Creates the default limits, to be changed one by one.
    public init() {}
}
