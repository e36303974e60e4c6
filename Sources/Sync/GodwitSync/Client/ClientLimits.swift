//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The named limits of a ``CouchDatabase``.
public struct ClientLimits: Sendable {
    /// The maximum number of changes that one request reads.
    public var changesPerPageMax = 1_000

    /// The maximum number of documents that one request reads or writes.
    public var documentsPerBatchMax = 500

    /// The maximum number of bytes of documents in one `_bulk_docs` request. A single document may be longer.
    public var writeBytesMax = 4 << 20

    /// The maximum total number of bytes of the attachments that are sent within a document's JSON. Larger attachments
    /// follow the JSON as parts.
    public var attachmentsInlineBytesMax = 64 << 10

    /// The maximum length of a response in memory, in bytes.
    public var responseBytesMax = 96 << 20

    /// The maximum duration, in seconds, of a request that neither waits for changes nor transfers attachments.
    public var requestSecondsMax = 300

    /// The interval at which a server is asked to send a newline while it has no changes, in seconds.
    public var heartbeatSeconds = 30

    /// The time that a live feed waits after a response without changes before it sends the next request, in seconds.
    public var retrySeconds = 0.25

    /// Creates the default limits. Set the properties of limits that must differ.
    public init() {}
}
