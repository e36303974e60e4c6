//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitTransport

// A database can be deleted and made again, restored from a backup, or replaced by another database with the same URL,
// while a replication runs. Then the database does not have the documents that the run has written, or it has other
// changes than those that the run has read. A checkpoint of this run would say that all these documents are there, so no
// later run would send them.
//
// A run therefore remembers the instances of both databases (CouchDB's `instance_start_time`) and the checkpoint that the
// target has. Both are compared before a checkpoint is written. A database of unknown instance (an old server) is still
// recognized by its missing or older checkpoint. The checkpoint itself names the instances. If a database was replaced
// between the comparison and the write, its next reader sees that the checkpoint belongs to another instance.

/// Recognizes the databases of one run. If another database has taken the place of one of them, the run begins again.
package final class KnownInstances: Sendable {
    /// The run and the sequence of a checkpoint; `nil` for no checkpoint.
    private struct Mark: Equatable {
        let run: String
        let sequence: String

        init?(_ body: JSONObject?) {
            guard let body, let run = body["session_id"]?.stringValue else { return nil }
            self.run = run
            sequence = body["source_last_seq"]?.jsonText() ?? ""
        }
    }

    private struct State {
        var source: String?
        var target: String?
        /// The checkpoint that the target confirmed last, and those that were sent since without a confirmation.
        var marks: [Mark?] = [nil]
    }

    private let state = Mutex(State())

    /// Creates an object that knows nothing. ``opened(_:_:)`` begins a run.
    package init() {}

    /// Remembers the instances of both databases at the start of a run.
    func opened(_ source: String?, _ target: String?) {
        state.withLock { $0 = State(source: source, target: target) }
    }

    /// Remembers the checkpoint that the target has at the start of a run.
    func loaded(_ target: JSONObject?) { state.withLock { $0.marks = [Mark(target)] } }

    /// Remembers a checkpoint that is sent to the target.
    func sends(_ body: JSONObject) {
        state.withLock { state in
            let mark = Mark(body)
            if !state.marks.contains(mark) { state.marks.append(mark) }
        }
    }

    /// Remembers that the target has a checkpoint.
    func sent(_ body: JSONObject) { loaded(body) }

    /// Whether the target's checkpoint is one that this run knows.
    func knows(_ target: JSONObject?) -> Bool { state.withLock { $0.marks.contains(Mark(target)) } }

    /// Compares the instances of both databases with those at the start of the run.
    ///
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/replaced``.
    func compare(_ source: String?, _ target: String?) throws(ReplicationError) {
        let (knownSource, knownTarget) = state.withLock { ($0.source, $0.target) }
        guard KnownInstances.isSame(knownSource, source) else { throw .replaced("source") }
        guard KnownInstances.isSame(knownTarget, target) else { throw .replaced("target") }
    }

    // MARK: Checkpoints

    private static let sourceMember = "source_instance"
    private static let targetMember = "target_instance"

    /// Adds the instances of both databases to a checkpoint.
    func naming(_ body: JSONObject) -> JSONObject {
        let (source, target) = state.withLock { ($0.source, $0.target) }
        var body = body
        body[KnownInstances.sourceMember] = source.map { .string($0) }
        body[KnownInstances.targetMember] = target.map { .string($0) }
        return body
    }

    /// Returns a checkpoint if it belongs to the instances of both databases, or does not name them.
    func valid(_ body: JSONObject?) -> JSONObject? {
        guard let body else { return nil }
        let (source, target) = state.withLock { ($0.source, $0.target) }
        let isValid =
            KnownInstances.isSame(body[KnownInstances.sourceMember]?.stringValue, source)
            && KnownInstances.isSame(body[KnownInstances.targetMember]?.stringValue, target)
        return isValid ? body : nil
    }

    /// Whether two names can be those of one instance. An unknown instance can be any.
    private static func isSame(_ first: String?, _ second: String?) -> Bool {
        guard let first, let second else { return true }
        return first.utf8.elementsEqual(second.utf8)
    }
}

extension ReplicationError {
    fileprivate static func replaced(_ side: String) -> ReplicationError {
        ReplicationError(
            .replaced,
            "The \(side) of the replication was deleted and made again, or restored from a backup. The replication begins again."
        )
    }

    /// The target has another checkpoint than the one that it confirmed.
    static let checkpointLost = ReplicationError(
        .replaced,
        "The target has another checkpoint than this replication stored there: it was restored, or another replication of the same databases runs. The replication continues from the checkpoint that both databases have."
    )
}

extension Replicator {
    /// Checks that both databases are still those of the start of the run. Both are asked at the same time.
    func checkInstances(_ known: KnownInstances) async throws(ReplicationError) {
        do {
            async let ofSource = source.instance()
            async let ofTarget = target.instance()
            try known.compare(try await ofSource, try await ofTarget)
        } catch {
            throw ReplicationError(reading: error, "the identities of the databases")
        }
    }
}
