//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitQuery

/// The limits of a server.
public struct ServerLimits: Sendable {
    /// The maximum length of a JSON body, in bytes. The complete body is in memory, because JSON can be parsed only
    /// after its end has arrived. Long data of inline attachments does not count, because it is stored as it arrives.
    public var jsonRequestBytesMax = 64 << 20

    /// The maximum length of a JSON body that is not a document, in bytes: settings, keys, queries.
    public var controlRequestBytesMax = 8 << 20

    /// The maximum length of the body of a request for a database, in bytes, unless the setting
    /// `max_http_request_size` has another value. It does not apply to a backup that an administrator restores.
    public var requestBytesMax = 4 << 30

    /// The maximum number of identifiers in a response of `_uuids` (CouchDB's `max_count`).
    public var uuidsMax = 1_000

    /// The time in milliseconds for which a feed without heartbeats waits for a change. It is used if the client names
    /// no time, and it is also the maximum that a client can request.
    public var feedTimeoutMilliseconds = 60_000

    /// The maximum number of results of a live query over HTTP. Each result needs about 200 bytes of memory while the
    /// feed is open.
    public var liveRowsMax = QueryLimits.liveRowsMax

    /// The interval of a feed's heartbeats in milliseconds. It is used if the client requests heartbeats but names no
    /// interval.
    public var heartbeatMilliseconds = 60_000

    /// The delay in seconds before the first retry of a failed replication. After each further failure the delay
    /// doubles.
    public var replicationRetrySeconds = 5

    /// The minimum delay in seconds before a retry of a replication whose credentials were refused. CouchDB and Godwit
    /// lock an account after five wrong passwords within 300 seconds.
    public var replicationRefusedRetrySeconds = 150

    /// The maximum delay before a retry, in seconds.
    public var replicationRetrySecondsMax = 3_600

    /// The time in seconds after which a continuous replication releases its slot for a waiting replication (CouchDB's
    /// `interval`).
    public var replicationTurnSeconds = 60

    /// The time in seconds in which a cancelled replication must write its checkpoint.
    static let replicationStopSecondsMax = 2

    /// The maximum number of replications that release their slots at a time (CouchDB's `max_churn`).
    static let replicationsPerTurnMax = 20

    /// The maximum number of requests that wait for the end of a replication. The limit applies to all administrators
    /// together, and separately to all other principals together.
    static let replicationsAwaitedMax = 100
    /// The maximum number of requests of one principal that wait for the end of a replication. The limit does not apply
    /// to administrators.
    static let replicationsAwaitedPerOwnerMax = 10

    /// The maximum number of bytes of documents in transit in all replications together.
    static let replicationBytesMax = 256 << 20
    /// The maximum number of bytes of documents in transit in the replications of one owner.
    static let replicationOwnerBytesMax = 64 << 20

    /// The maximum length in bytes of a response with one document that a peer of a replication sends. If documents may
    /// be longer than half of it, the maximum is twice their length.
    static let replicatedDocumentBytesMax = 16 << 20
    /// The maximum length in bytes of a response with a page of changes that a peer of a replication sends.
    static let replicatedChangesBytesMax = 1 << 20
    /// The maximum length in bytes of any other response that a peer of a replication sends.
    static let replicatedAnswerBytesMax = 2 << 20

    /// The time in seconds after which a connection without a request is closed.
    public var idleConnectionSecondsMax = 300

    /// The minimum length in bytes of a complete response that is compressed.
    static let packedBytesMin = 1_024

    /// The maximum number of databases in a request of `_dbs_info` (CouchDB's `max_db_number_for_dbs_info_req`).
    static let databasesAskedMax = 100

    /// The maximum number of documents that a request may purge (CouchDB's `max_document_id_number`).
    static let purgedDocumentsMax = 100
    /// The maximum number of revisions that a request may purge (CouchDB's `max_revisions_number`).
    static let purgedRevisionsMax = 1_000

    /// The maximum number of times that a request may be rewritten (CouchDB's `rewrite_limit`).
    static let rewritesMax = 100

    /// The maximum number of security events that wait to be written.
    static let auditWaitingMax = 10_000
    /// The maximum number of security events that one transaction writes or removes.
    static let auditWrittenTogetherMax = 500

    /// The time for which security events are collected before they are written, in milliseconds.
    static let auditDelayMilliseconds = 200

    /// The delay after which security events whose write failed are written again, in seconds.
    static let auditRetrySeconds = 5

    /// The interval at which old security events are removed, in seconds.
    static let auditRetentionSeconds = 3_600

    /// The maximum number of refusals of one kind from one network that are recorded in a minute.
    static let auditRefusalsPerMinute = 30
    /// The maximum number of other events of one kind from one network that are recorded in a minute.
    static let auditEventsPerMinute = 300
    /// The maximum number of counts in a minute. Each kind of event from each network has a count.
    static let auditNetworksPerMinute = 3_000

    /// The maximum number of characters of a text of a security event.
    static let auditTextCharactersMax = 300

    /// The maximum number of backups of single databases that are made at the same time. It is also the maximum number
    /// of backups that are restored at the same time. Both are limited because each backup needs as much disk space as
    /// its database.
    static let backupsMax = 4
    /// The maximum number of backups in a list of backups that contain all databases.
    static let backupsListedMax = 1_000
    /// The maximum number of requests in the list of open requests.
    static let requestsListedMax = 300
    /// The maximum number of documents in conflict that are counted for the information about a database.
    static let conflictsCountedMax = 10_000
    /// The default number of documents on which a function is tried.
    static let trialDocumentsDefault = 20
    /// The maximum number of documents on which a function is tried.
    static let trialDocumentsMax = 100
    /// The maximum size in bytes of the documents on which a function is tried.
    static let trialBytesMax = 2 << 20
    /// The default number of databases in a response that describes a backup.
    static let backupEntriesDefault = 100
    /// The maximum number of databases in a response that describes a backup.
    static let backupEntriesMax = 1_000
    /// The maximum number of databases in a response that could not be copied into a backup.
    static let backupFailuresMax = 100

    /// The maximum number of ranges in a request for an attachment. As in CouchDB, a request with more ranges gets all
    /// bytes.
    static let rangesMax = 9

    /// The minimum interval of a feed's heartbeats, in milliseconds.
    static let heartbeatMillisecondsMin = 50
    /// The maximum time between two empty lines of a feed, in milliseconds. Longer times are reduced to it.
    static let heartbeatMillisecondsMax = 86_400_000
    /// The maximum number of highlighted fragments per field of a search. Higher numbers are reduced to it.
    static let highlightedFragmentsMax = 1_000
    /// The maximum length of a highlighted fragment, in characters. Higher lengths are reduced to it.
    static let highlightedLengthMax = 1_000_000
    /// The maximum number of headers that a function may set. The types of HTTP have a limit that ends the process.
    static let functionHeadersMax = 200

    /// The maximum memory, in bytes, of the bodies of all requests together, including the values that are parsed from
    /// these bodies.
    static let requestMemoryBytesMax = 1 << 30
    /// The maximum memory, in bytes, of the bodies of one client's requests, including the values that are parsed from
    /// these bodies.
    static let requestMemoryBytesPerClientMax = 320 << 20

    /// The maximum memory of a scanned text, in bytes for each byte of the body. The maximum is reached by a list of
    /// empty objects.
    static let tapeBytesPerByte = 4
    /// The estimated memory of a parsed value, in bytes for each byte of the body.
    static let valueBytesPerByte = 8

    /// The memory in bytes that each document needs, in addition to its text, while many documents are written.
    static let documentMemoryBytes = 1_024

    /// The maximum number of values, including members' names, in a JSON body that is not a document.
    static let controlValuesMax = 1_000_000

    /// The greatest value of the setting `max_document_size`. Twice this length is the memory for documents in transit
    /// in the replications of one owner.
    static let documentBytesCeiling = replicationOwnerBytesMax / 2
    /// The greatest value of the setting `max_http_request_size`.
    static let requestBytesCeiling = 1 << 50

    /// The maximum length in bytes of a body with documents in which long data of attachments is not searched for.
    static let unscannedBytesMax = 1 << 20
    /// The maximum length in bytes of the data of an attachment that stays in the text of a longer body.
    static let inlineDataBytesMax = 64 << 10

    /// The maximum length in bytes of the body of a light request. A request with a longer body is costly.
    static let lightBodyBytesMax = 64 << 10

    /// The maximum number of queries in one request to a view or a list of documents.
    static let queriesMax = 1_000

    /// The maximum length in bytes of a text to analyze.
    static let analyzedTextBytesMax = 1 << 20

    /// During a graceful shutdown, the remaining requests are cancelled this number of seconds before the time limit.
    static let stopCancelSeconds = 3

    /// The maximum number of stored settings, including settings without effect.
    static let settingsMax = 1_000

    /// The maximum length of a login's body, in bytes.
    static let loginBytesMax = 16 << 10

    /// The maximum time in seconds for which a client may read nothing of a response, or send nothing of the rest of a
    /// request.
    public var stallSecondsMax = 60

    /// The maximum number of connections. Further connections are not accepted until others have ended.
    public var connectionsMax = 20_000

    /// The minimum number of bytes of a body that must arrive in `stallSecondsMax` while the server waits for the body.
    static let stallBytesMin = 16 << 10

    /// The maximum length of a message that a client sends over a WebSocket, and of each of its frames, in bytes.
    static let webSocketFrameBytesMax = 64 << 10

    /// The maximum number of frames of a message that a client sends over a WebSocket.
    static let webSocketFragmentsMax = 64

    /// The maximum memory, in bytes, of received WebSocket messages that wait for the handler. When it is reached,
    /// nothing more is read from the client.
    static let webSocketInboxBytesMax = 256 << 10

    /// If a response ends before the request's body was read, the connection can stay open only after the rest of the
    /// body was read. If the rest is longer than this number of bytes, the connection is closed instead.
    static let unreadBytesMax = 64 << 10

    /// The time in seconds for which the server waits before it closes a connection whose client still sends.
    static let lingerSecondsMax: Int64 = 5

    /// The maximum number of bytes that such a client may send in ``lingerSecondsMax``.
    static let lingerBytesMax = 128 << 20

    /// The maximum number of unsent bytes in a connection's buffer. Above this number, the response waits. The number
    /// does not include the buffer of the system.
    static let unsentBytesMax = 4 << 10

    /// The approximate maximum number of bytes of a response that are in the system's buffer and are not yet on the way
    /// to the client.
    static let unsentSystemBytesMax = 16 << 10

    /// The maximum size of a response's pieces, in bytes.
    static let pieceBytesMax = 64 << 10
    /// The minimum size of a response's pieces, in bytes.
    static let pieceBytesMin = 8 << 10

    /// The intended maximum, in bytes, of all pieces of responses in memory together. If more responses wait for their
    /// clients, the pieces become smaller.
    static let answerBytesMax = 4 << 20

    /// The maximum number of unsent output bytes of one list function.
    static let listBytesAheadMax = 8 << 20
    /// The maximum number of unsent output bytes of all list functions together.
    static let listsBytesAheadMax = 32 << 20

    /// The time in seconds in which current requests must end when the server stops.
    public static let stopSecondsMax = 8

    /// Creates the default limits.
    public init() {}
}
