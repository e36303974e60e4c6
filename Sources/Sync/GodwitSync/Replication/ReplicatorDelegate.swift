//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitTransport

/// Receives calls about a replication, for code that was written for Cloudant Sync. New code reads the events of a
/// ``ReplicationRun``.
///
/// One task makes all calls, one after another: first a call for each change of progress or state, and at the end one
/// call for the completion or for the error.
public protocol ReplicatorDelegate: AnyObject, Sendable {
    /// ``ReplicationRun/state`` changed.
    func replicatorDidChangeState(_ run: ReplicationRun)
    /// ``ReplicationRun/progress`` changed.
    func replicatorDidChangeProgress(_ run: ReplicationRun)
    /// The replication completed, or was stopped.
    func replicatorDidComplete(_ run: ReplicationRun)
    /// The replication failed.
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
    /// Starts the replication with a delegate, which is retained until the end.
    ///
    /// - Returns: The running replication. It is also retained until its end.
    @discardableResult
    public func start(telling delegate: any ReplicatorDelegate) -> ReplicationRun {
        let run = start()
        Task {
            do throws(ReplicationError) {
                try await Replicator.notify(delegate, of: run)
                _ = try await run.report()
                delegate.replicatorDidComplete(run)
            } catch {
                delegate.replicatorDidError(run, error: error)
            }
        }
        return run
    }

    private static func notify(
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
