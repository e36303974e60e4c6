//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitQuery

/// The named limits of a server.
public struct ServerLimits: Sendable {
    /// The longest JSON body of a request, in bytes: it is held whole, since a reader of JSON needs its end.
    public var jsonRequestBytesMax = 64 << 20

    /// The longest JSON body of a request that is no document, in bytes: settings, keys, queries.
    public var controlRequestBytesMax = 8 << 20

    /// The longest body of any request, in bytes. CouchDB's `max_http_request_size`.
    public var requestBytesMax = 4 << 30

    /// The identifiers that one request for them may ask for. CouchDB's `max_count`.
    public var uuidsMax = 1_000

    /// How long a feed waits for a change when the client does not say, in milliseconds.
    public var feedTimeoutMilliseconds = 60_000

    /// Results that a live query over HTTP may have; each takes about 200 bytes while the feed is open.
    public var liveRowsMax = QueryLimits.liveRowsMax

    /// How often a feed sends a newline when the client asks for heartbeats without a number, in milliseconds.
    public var heartbeatMilliseconds = 60_000

    /// How long a replication that failed waits for its next try, in seconds; twice as long after each failure.
    public var replicationRetrySeconds = 5

    /// The longest such wait, in seconds.
    public var replicationRetrySecondsMax = 3_600

    /// How long a continuous replication runs before it makes room for one that waits, in seconds. CouchDB's `interval`.
    public var replicationTurnSeconds = 60

    /// How long a replication that is cancelled may take to write its checkpoint, in seconds.
    static let replicationStopSecondsMax = 2

    /// Replications that make room at a time. CouchDB's `max_churn`.
    static let replicationsPerTurnMax = 20

    /// Requests that wait for a replication (`_replicate` that is not continuous) at a time, of administrators and of all
    /// others, and of one other.
    static let replicationsAwaitedMax = 100
    static let replicationsAwaitedPerOwnerMax = 10

    /// Bytes of documents on their way in all replications, and in those of one owner.
    static let replicationBytesMax = 256 << 20
    static let replicationOwnerBytesMax = 64 << 20

    /// The longest answer with one document, with a page of changes, and of any other kind that a replication takes from a
    /// peer, in bytes.
    static let replicatedDocumentBytesMax = 16 << 20
    static let replicatedChangesBytesMax = 1 << 20
    static let replicatedAnswerBytesMax = 2 << 20

    /// How long a connection may be silent between requests, in seconds.
    public var idleConnectionSecondsMax = 300

    /// Whole answers shorter than this, in bytes, are not worth compressing.
    static let packedBytesMin = 1_024

    /// Databases of which one request may ask. CouchDB's `max_db_number_for_dbs_info_req`.
    static let databasesAskedMax = 100

    /// Documents and revisions that one request may purge. CouchDB's `max_document_id_number`, `max_revisions_number`.
    static let purgedDocumentsMax = 100
    static let purgedRevisionsMax = 1_000

    /// How often a request may be rewritten. CouchDB's `rewrite_limit`.
    static let rewritesMax = 100

    /// Backups that are made and sent at a time; each takes the room of its database on the disk.
    static let backupsMax = 4

    /// Ranges of an attachment that one request may ask for; as in CouchDB, who asks for more gets the whole.
    static let rangesMax = 9

    /// The shortest time between signs of life of a feed, in milliseconds.
    static let heartbeatMillisecondsMin = 50

    /// Bytes of memory that the bodies of requests, and what is made of them, may take together, and for one client.
    static let requestMemoryBytesMax = 1 << 30
    static let requestMemoryBytesPerClientMax = 320 << 20

    /// Bytes of memory that a body takes for each of its bytes, as a scanned text and as a value. The worst body is a list
    /// of empty objects.
    static let tapeBytesPerByte = 4
    static let valueBytesPerByte = 8

    /// Bytes of memory that one of many documents takes beside its text while they are written.
    static let documentMemoryBytes = 1_024

    /// Values, members' names among them, that a JSON body may have that is no document.
    static let controlValuesMax = 1_000_000

    /// The longest body of a request, in bytes, that counts as light work.
    static let lightBodyBytesMax = 64 << 10

    /// Queries that one request may ask of a view or of the list of documents.
    static let queriesMax = 1_000

    /// The longest text of which one request may ask for the words, in bytes.
    static let analyzedTextBytesMax = 1 << 20

    /// How long before its end a stop cancels the requests that are still under way, in seconds.
    static let stopCancelSeconds = 3

    /// Settings that are kept, those without effect among them.
    static let settingsMax = 1_000

    /// The longest body of a login, in bytes.
    static let loginBytesMax = 16 << 10

    /// How long a client may leave an answer unread or the rest of a request unsent, in seconds.
    public var stallSecondsMax = 60

    /// Connections at a time; further ones wait to be accepted.
    public var connectionsMax = 20_000

    /// Bytes that must come in `stallSecondsMax` of a body that the server waits for.
    static let stallBytesMin = 16 << 10

    /// Bytes of a request's body that are read after its answer, so that the connection can be kept.
    static let unreadBytesMax = 64 << 10

    /// How long a connection that ends with an answer waits for a client that still sends, in seconds.
    static let lingerSecondsMax: Int64 = 5

    /// Bytes that such a client may send meanwhile.
    static let lingerBytesMax = 128 << 20

    /// Bytes of an answer that wait in a connection before no more are made for it until they are sent; the system has a
    /// buffer of its own.
    static let unsentBytesMax = 4 << 10

    /// Bytes of an answer that the system takes although the client's side has no room for them yet, about.
    static let unsentSystemBytesMax = 16 << 10

    /// The largest and the smallest piece of an answer that is made and sent at a time, in bytes.
    static let pieceBytesMax = 64 << 10
    static let pieceBytesMin = 8 << 10

    /// Bytes of all such pieces together, above which they become smaller.
    static let answerBytesMax = 4 << 20

    /// What one list function, and all of them together, may have said that their clients have not taken, in bytes.
    static let listBytesAheadMax = 8 << 20
    static let listsBytesAheadMax = 32 << 20

    /// How long requests under way may take to finish when the server stops, in seconds.
    public static let stopSecondsMax = 8

    /// Creates the default limits, to be changed one by one.
    public init() {}
}
