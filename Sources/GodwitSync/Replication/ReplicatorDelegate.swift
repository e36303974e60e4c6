//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitClient

/// Told of a replication by calls, for code that comes from Cloudant Sync. New code reads the events of a
/// ``ReplicationRun``.
///
/// The calls come from one task, one after the other: progress and states as they change, then one of the last two.
public protocol ReplicatorDelegate: AnyObject, Sendable {
    /// ``ReplicationRun/state`` changed.
    func replicatorDidChangeState(_ run: ReplicationRun)
    /// ``ReplicationRun/progress`` changed.
    func replicatorDidChangeProgress(_ run: ReplicationRun)
    /// It ran to its end, or was stopped.
    func replicatorDidComplete(_ run: ReplicationRun)
    /// It failed as a whole.
    func replicatorDidError(_ run: ReplicationRun, error: ReplicationError)
}

extension ReplicatorDelegate {
    /// Does nothing.
    public func replicatorDidChangeState(_ run: ReplicationRun) {}
    /// Does nothing.
    public func replicatorDidChangeProgress(_ run: ReplicationRun) {}
    /// Does nothing.
    public func replicatorDidComplete(_ run: ReplicationRun) {}
    /// Does nothing.
    public func replicatorDidError(_ run: ReplicationRun, error: ReplicationError) {}
}

extension Replicator {
    /// Starts the replication and tells a delegate of it, which is held until the end.
    ///
    /// - Returns: The running replication; it is held until its end too.
    @discardableResult
    public func start(telling delegate: any ReplicatorDelegate) -> ReplicationRun {
        let run = start()
        Task {
            do throws(ReplicationError) {
                try await Replicator.tell(delegate, of: run)
                _ = try await run.report()
                delegate.replicatorDidComplete(run)
            } catch {
                delegate.replicatorDidError(run, error: error)
            }
        }
        return run
    }

    private static func tell(
        _ delegate: any ReplicatorDelegate, of run: ReplicationRun
    ) async throws(ReplicationError) {
        do {
            for try await event in run {
                switch event {
                case .state: delegate.replicatorDidChangeState(run)
                case .progress: delegate.replicatorDidChangeProgress(run)
                case .failure, .trouble: break
                }
            }
        } catch {
            throw ReplicationError(reading: error, "the replication")
        }
    }
}
