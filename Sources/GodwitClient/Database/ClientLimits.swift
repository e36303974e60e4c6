//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The named limits of a ``CouchDatabase``.
public struct ClientLimits: Sendable {
    /// Changes read by one request.
    public var changesPerPageMax = 1_000

    /// Documents read or written by one request.
    public var documentsPerBatchMax = 500

    /// Bytes of documents in one `_bulk_docs` request, unless one document alone is longer.
    public var writeBytesMax = 4 << 20

    /// Bytes of all attachments of one document up to which they are sent within its JSON. Longer attachments follow it
    /// as parts.
    public var attachmentsInlineBytesMax = 64 << 10

    /// The longest answer that is held in memory, in bytes.
    public var responseBytesMax = 96 << 20

    /// The maximum duration of a request in seconds, except requests that wait for changes or transfer attachments.
    public var requestSecondsMax = 300

    /// The maximum time without bytes from a server until the connection counts as dead, in seconds.
    public static let silenceSecondsMax = 90

    /// The requested interval between newlines of a server that has no changes, in seconds.
    public var heartbeatSeconds = 30

    /// The wait of a live feed after an answer without changes, in seconds.
    public var retrySeconds = 0.25

    /// Creates the default limits, to be changed one by one.
    public init() {}
}
