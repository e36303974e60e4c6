//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitSync
import GodwitTransport
import Logging

extension ReplicationRun {
    /// Asks the run to write its checkpoint and to end. If the run has not ended after
    /// ``ServerLimits/replicationStopSecondsMax``, it is cancelled without a checkpoint.
    func stopWithCheckpoint() {
        stop()
        Task {
            try await Task.sleep(for: .seconds(ServerLimits.replicationStopSecondsMax))
            cancel()
        }
    }
}

extension ReplicationJob {
    /// The reason of a failure, as the job shows it.
    static func reason(of error: any Error) -> String {
        (error as? ReplicationError)?.message ?? HTTPFailure(error).reason
    }

    /// Records the events of a run of this job until it ends.
    func follow(_ run: ReplicationRun, _ logger: Logger) async throws -> ReplicationReport {
        let earlierCounts = status.counts
        var leftOutCount = 0
        for try await event in run {
            switch event {
            case .progress(let progress):
                note(progress, after: earlierCounts)
                if status.state == .crashing, run.state != .offline { note(.running, "started") }
            case .trouble(let error):
                if run.state == .offline { noteFailure(error.message, logger) }
            case .state(let state):
                if state == .running || state == .idle, status.state == .crashing { note(.running, "started") }
            case .failure(let failure):
                leftOutCount += 1
                note(failure, number: leftOutCount, logger)
            }
        }
        return try await run.report()
    }

    /// Writes a line about a document that was not replicated, for the first one of a run, and the second, fourth, eighth
    /// and so on.
    private func note(_ failure: ReplicationFailure, number: Int, _ logger: Logger) {
        guard number & (number - 1) == 0 else { return }
        var metadata = AuditLog.metadata(of: self)
        (metadata["documents"], metadata["document"]) = ("\(number)", "\(failure.id)")
        (metadata["status"], metadata["reason"]) = ("\(failure.status)", "\(failure.reason)")
        logger.warning("replication left out a document", metadata: metadata)
    }

    /// Records the failure of an attempt. The first failure of a job, and the second, fourth, eighth and so on, is a line
    /// of the log.
    func noteFailure(_ reason: String, _ logger: Logger) {
        note(.crashing, "crashed", reason: reason)
        let count = status.errorCount
        guard count & (count - 1) == 0 else { return }
        var metadata = AuditLog.metadata(of: self)
        (metadata["attempts"], metadata["reason"]) = ("\(count)", "\(reason)")
        logger.warning("replication failing", metadata: metadata)
    }
}
