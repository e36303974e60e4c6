//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitSync

/// A replication that the server runs, with its state and history.
final class ReplicationJob: Sendable {
    /// The state, with CouchDB's names.
    enum State: String, CaseIterable, Sendable {
        case initializing, running, pending, crashing, completed, failed

        /// Whether the replication has ended.
        var isTerminal: Bool { self == .completed || self == .failed }
    }

    /// An event in the history.
    struct Event: Sendable {
        let time = WallClock.text
        let kind: String
        var reason: String?
    }

    struct Status: Sendable {
        var state = State.initializing
        var counts = ReplicationCounts()
        var pending = 0
        var sequences = Sequences()
        var errorCount = 0
        var reason: String?
        var updated = WallClock.text
        var updatedSeconds = WallClock.seconds
        /// The events, the newest first.
        var history = [Event(kind: "added")]
    }

    /// The progress of the replication, in sequences of the source. Each value is `nil` until it is known.
    struct Sequences: Sendable {
        /// The sequence up to which changes were read.
        var source: String?
        /// The sequence up to which all changes have been processed completely.
        var through: String?
        /// The sequence of the last checkpoint.
        var checkpointed: String?
    }

    /// The maximum number of events in the history.
    private static let historyMax = 20

    let id: String
    let spec: ReplicationSpec
    let owner: Principal
    /// The id of the document in `_replicator` that defines the replication; `nil` for a replication that a request of
    /// `_replicate` started.
    let document: String?
    /// Identifies the replication in the journal of background work; `nil` for a replication that does not begin again
    /// at the next start.
    let work: BackgroundWorkID?
    let started = WallClock.text
    private let startedSeconds = WallClock.seconds
    private let statusLock: Mutex<Status>

    /// Creates a job.
    ///
    /// - Parameter revision: The revision of the document. A changed document is another work, so an edit is an
    ///   administrator's word to start the replication again.
    init(spec: ReplicationSpec, owner: Principal, document: String?, revision: RevisionID? = nil) {
        work = document.map { BackgroundWorkID(.replication, "\($0) \(revision?.description ?? "")") }
        id = spec.id(owner: owner.name ?? "")
        self.spec = spec
        self.owner = owner
        self.document = document
        statusLock = Mutex(Status())
    }

    /// Whether a document of the replicator database describes the replication.
    func belongs(to document: String) -> Bool { self.document?.isIdenticalText(to: document) ?? false }

    var status: Status { statusLock.withLock { $0 } }

    /// Records a change of the state, and adds an event to the history. Does not change `updatedSeconds`.
    func note(_ state: State, _ kind: String, reason: String? = nil) {
        statusLock.withLock { status in
            status.state = state
            status.reason = reason
            status.updated = WallClock.text
            if state == .crashing { status.errorCount += 1 }
            if state == .completed { status.errorCount = 0 }
            status.history.insert(Event(kind: kind, reason: reason), at: 0)
            if status.history.count > ReplicationJob.historyMax { status.history.removeLast() }
        }
    }

    /// Records the final state of a replication that ended earlier, usually before the server started. The state comes
    /// from the members of the document that defines the replication. The method changes neither the history, nor the
    /// number of errors, nor `updatedSeconds`.
    func note(_ state: State, _ document: JSONObject) {
        let counts = ReplicationCounts(couchDBObject: document["_replication_stats"]?.objectValue ?? [:])
        statusLock.withLock { status in
            status.state = state
            status.counts = counts
            status.reason = document["_replication_state_reason"]?.stringValue
            status.updated = document["_replication_state_time"]?.stringValue ?? status.updated
        }
    }

    /// Records the progress of the current run.
    func note(_ progress: ReplicationProgress, after earlierCounts: ReplicationCounts) {
        let counts = earlierCounts + progress.counts
        statusLock.withLock { status in
            ReplicationJob.add(counts.documentsWritten.subtractingSaturated(status.counts.documentsWritten))
            status.counts = counts
            status.pending = progress.changesTotal.subtractingSaturated(progress.changesDone)
            status.sequences = Sequences(
                source: progress.sourceSequence, through: progress.throughSequence,
                checkpointed: progress.checkpointedSequence)
            status.updatedSeconds = WallClock.seconds
            status.updated = WallClock.text
        }
    }

    private static let documentCount = Mutex(0)

    /// The number of documents that replications of this server wrote since the server started.
    static var documentsReplicated: Int { documentCount.withLock { $0 } }

    private static func add(_ count: Int) {
        if count > 0 { documentCount.withLock { $0 = $0.addingSaturated(count) } }
    }

    // MARK: Entries of the scheduler's lists

    /// The entry in `_scheduler/jobs`.
    var jobValue: JSONValue {
        let status = status
        return [
            "database": document == nil ? .null : .string(ReplicatorDatabase.name), "id": .string(id),
            "pid": .null, "source": .string(spec.source.description), "target": .string(spec.target.description),
            "user": owner.name.map { .string($0) } ?? .null, "doc_id": document.map { .string($0) } ?? .null,
            "info": .object(status.couchDBObject),
            "history": .array(status.history.map(\.value)), "node": .string(nodeName),
            "start_time": .string(started),
        ]
    }

    /// The entry in `_active_tasks`.
    var taskValue: JSONValue {
        let status = status
        // As in CouchDB, clients pass these sequences on as `since`, so they are never `null`.
        var object = JSONObject(status.couchDBObject.map { ($0.key, $0.value.isNull ? "0" : $0.value) })
        object["type"] = "replication"
        object["replication_id"] = .string(id)
        object["doc_id"] = document.map { .string($0) } ?? .null
        object["source"] = .string(spec.source.description)
        object["target"] = .string(spec.target.description)
        object["continuous"] = .bool(spec.isContinuous)
        object["user"] = owner.name.map { .string($0) } ?? .null
        object["node"] = .string(nodeName)
        object["started_on"] = .integer(Int64(startedSeconds))
        object["updated_on"] = .integer(Int64(status.updatedSeconds))
        object["checkpoint_interval"] = .integer(Int64(ReplicationLimits().checkpointSecondsMin * 1_000))
        return .object(object)
    }

    /// The entry in `_scheduler/docs`.
    var documentValue: JSONValue {
        let status = status
        var info = status.couchDBObject
        if let reason = status.reason { info = ["error": .string(reason)] }
        return [
            "database": .string(ReplicatorDatabase.name), "doc_id": document.map { .string($0) } ?? .null,
            "id": .string(id), "node": .string(nodeName), "source": .string(spec.source.description),
            "target": .string(spec.target.description), "state": .string(status.state.rawValue),
            "info": .object(info), "error_count": .integer(Int64(status.errorCount)),
            "last_updated": .string(status.updated), "start_time": .string(started),
            "source_proxy": .null, "target_proxy": .null,
        ]
    }
}

extension ReplicationJob.Event {
    fileprivate var value: JSONValue {
        var object: JSONObject = ["timestamp": .string(time), "type": .string(kind)]
        if let reason { object["reason"] = .string(reason) }
        return .object(object)
    }
}

extension ReplicationJob.Status {
    /// The counts and sequences with CouchDB's names.
    var couchDBObject: JSONObject {
        var object = counts.couchDBObject(pending: pending)
        object["source_seq"] = sequences.source.map { .string($0) } ?? .null
        object["through_seq"] = sequences.through.map { .string($0) } ?? .null
        object["checkpointed_source_seq"] = sequences.checkpointed.map { .string($0) } ?? .null
        return object
    }
}

extension ReplicationCounts {
    /// Parses the counts with CouchDB's names. A missing count is 0.
    init(couchDBObject object: JSONObject) {
        self.init()
        let count = { (name: String) in object[name]?.intValue ?? 0 }
        missingChecked = count("revisions_checked")
        missingFound = count("missing_revisions_found")
        documentsRead = count("docs_read")
        documentsWritten = count("docs_written")
        writeFailures = count("doc_write_failures")
    }

    /// Returns the counts with CouchDB's names.
    func couchDBObject(pending: Int) -> JSONObject {
        [
            "revisions_checked": .integer(Int64(missingChecked)),
            "missing_revisions_found": .integer(Int64(missingFound)),
            "docs_read": .integer(Int64(documentsRead)), "docs_written": .integer(Int64(documentsWritten)),
            "doc_write_failures": .integer(Int64(writeFailures)), "changes_pending": .integer(Int64(pending)),
            "bulk_get_attempts": 0, "bulk_get_docs": 0,
        ]
    }

    static func + (left: ReplicationCounts, right: ReplicationCounts) -> ReplicationCounts {
        var sum = left
        sum.missingChecked = sum.missingChecked.addingSaturated(right.missingChecked)
        sum.missingFound = sum.missingFound.addingSaturated(right.missingFound)
        sum.documentsRead = sum.documentsRead.addingSaturated(right.documentsRead)
        sum.documentsWritten = sum.documentsWritten.addingSaturated(right.documentsWritten)
        sum.writeFailures = sum.writeFailures.addingSaturated(right.writeFailures)
        return sum
    }
}
