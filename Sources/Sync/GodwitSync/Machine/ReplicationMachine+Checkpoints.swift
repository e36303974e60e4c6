//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

extension ReplicationMachine {
    /// Removes finished pages from the front of the queue, and records the sequence up to which all changes are
    /// finished.
    mutating func record() {
        while let first = pages.first, first.isDone {
            invariant(first.apart.isEmpty && first.unreadRevisions.isEmpty, "a finished page has nothing left to read")
            invariant(pages.allSatisfy { $0.number >= first.number }, "pages finish in the order of their numbers")
            pages.removeFirst()
            changesDone += first.changes
            // If a checkpoint included a document that must be tried again, the document would never be replicated.
            isHeld = isHeld || first.isHeld
            isLeftOutFull = isLeftOutFull || first.exceedsLeftOut
            if !isHeld, !isLeftOutFull { (recorded, restarts) = (first.lastSequence, 0) }
        }
    }

    mutating func saveCheckpoint() {
        guard isWorthSaving, pages.isEmpty || now - savedAt >= limits.checkpointSecondsMin, !isSaving else { return }
        invariant(recorded != nil, "a checkpoint has a sequence")
        invariant(changesDoneWhenSaved <= changesDone, "a checkpoint does not go back")
        start(Running(operation: .saveCheckpoints(id: plan.id, body: checkpoint)))
    }

    private var isSaving: Bool { count { if case .saveCheckpoints = $0 { true } else { false } } > 0 }

    /// Whether a new checkpoint would differ from the last checkpoint.
    private var isWorthSaving: Bool {
        guard let recorded, !ExactText.areEqual(recorded, saved) || leftOut != savedLeftOut else { return false }
        // A cluster may return different sequences for the same position. Therefore, only the numbers at the beginning
        // of the sequences are compared.
        return changesDone > changesDoneWhenSaved || leftOut != savedLeftOut || recorded.number == nil
            || recorded.number != saved?.number
    }

    private var checkpoint: JSONObject {
        let session = Checkpoint.Session(
            id: plan.sessionID, startTime: startTime, endTime: plan.now(), startSequence: startSequence ?? "0",
            endSequence: recorded ?? "0", counts: counts)
        var body = Checkpoint(sessions: [session]).body
        let earlierSessions = earlier.filter { !ExactText.areEqual($0["session_id"]?.stringValue, plan.sessionID) }
        body["history"] = .array([session.json] + earlierSessions.prefix(ReplicationLimits.historyMax - 1))
        for (name, value) in leftOut.members { body[name] = value }
        if sourceRefuses { body[Checkpoint.sourceRefused] = true }
        return body
    }

    mutating func checkpointSaved(_ body: JSONObject, _ refused: Bool) {
        invariant(!isSaving, "one checkpoint is saved at a time")
        invariant(stage == .replicating || stage == .stopping, "a checkpoint is saved during a replication")
        guard refused == sourceRefuses else {
            // The checkpoint is saved again, now with the member which says that the source refuses checkpoints.
            sourceRefuses = refused
            if stage == .stopping { start(Running(operation: .saveCheckpoints(id: plan.id, body: checkpoint))) }
            return
        }
        saved = body["source_last_seq"]?.stringValue
        savedLeftOut = LeftOut(of: body)
        savedAt = now
        changesDoneWhenSaved = changesDone
        if stage == .stopping { finish() }
    }

    // MARK: The end

    mutating func finishWhenDone() {
        guard !plan.isContinuous, feed.isCaughtUp, pages.isEmpty, running.isEmpty else { return }
        finish()
    }

    mutating func stop() {
        // A second request to stop must not interrupt the checkpoint that is being saved.
        guard stage != .stopping else { return }
        guard stage == .replicating, isWorthSaving else {
            actions.append(.cancelAll)
            running = [:]
            stage = .stopping
            return finish()
        }
        stage = .stopping
        running = [:]
        actions.append(.cancelAll)
        start(Running(operation: .saveCheckpoints(id: plan.id, body: checkpoint)))
    }

    mutating func finish() {
        let wasStopped = stage == .stopping
        invariant(stage != .ended, "a replication ends once")
        invariant(wasStopped || pages.isEmpty && bytesHeld == 0, "a complete replication holds no document")
        invariant(running.isEmpty, "a replication ends after its last step")
        stage = .ended
        let report = ReplicationReport(
            counts: counts, startSequence: startSequence ?? "0", endSequence: recorded ?? startSequence ?? "0",
            changesDone: changesDone, failures: failures, wasStopped: wasStopped,
            history: checkpoint["history"]?.arrayValue ?? [])
        actions.append(.finish(.success(report)))
    }
}

extension String {
    /// The number at the beginning of a sequence: `12` of `12-g1AAA`.
    fileprivate var number: Int64? { pieces(at: "-", maxSplits: 1).first.flatMap { Int64($0) } }
}
