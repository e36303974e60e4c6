//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import Godwit

/// The state of a replicator.
///
/// Origin: `CDTReplicatorState`. New: ``GodwitSync/ReplicationState``.
@available(*, deprecated, message: "Use ReplicationState.")
public enum CDTReplicatorState: String, Sendable {
    /// Not started. Origin: `CDTReplicatorStatePending`. New: ``GodwitSync/ReplicationState/pending``.
    case pending
    /// Started. Origin: `CDTReplicatorStateStarted`. New: ``GodwitSync/ReplicationState/running``.
    case started
    /// Asked to stop. Origin: `CDTReplicatorStateStopping`. New: ``GodwitSync/ReplicationRun/stop()``.
    case stopping
    /// Stopped. Origin: `CDTReplicatorStateStopped`. New: ``GodwitSync/ReplicationState/stopped``.
    case stopped
    /// Complete. Origin: `CDTReplicatorStateComplete`. New: ``GodwitSync/ReplicationState/completed``.
    case complete
    /// Failed. Origin: `CDTReplicatorStateError`. New: ``GodwitSync/ReplicationState/failed``.
    case error
}

/// Receives calls about a replicator, on any thread. ``CDTReplicator/stop()`` calls the delegate on the thread that
/// calls `stop()`, perhaps at the same time as another call of the delegate.
///
/// Origin: `CDTReplicatorDelegate`. New: ``GodwitSync/ReplicatorDelegate``, or the events of
/// ``GodwitSync/ReplicationRun``.
@available(*, deprecated, message: "Use ReplicatorDelegate, or the events of ReplicationRun.")
public protocol CDTReplicatorDelegate: AnyObject, Sendable {
    /// The state changed.
    ///
    /// Origin: `replicatorDidChangeState:`. New: ``GodwitSync/ReplicatorDelegate/replicatorDidChangeState(_:)``.
    func replicatorDidChangeState(_ replicator: CDTReplicator)
    /// The progress changed.
    ///
    /// Origin: `replicatorDidChangeProgress:`. New: ``GodwitSync/ReplicatorDelegate/replicatorDidChangeProgress(_:)``.
    func replicatorDidChangeProgress(_ replicator: CDTReplicator)
    /// The replication completed, or was stopped.
    ///
    /// Origin: `replicatorDidComplete:`. New: ``GodwitSync/ReplicatorDelegate/replicatorDidComplete(_:)``.
    func replicatorDidComplete(_ replicator: CDTReplicator)
    /// The replication failed, or the target refused some documents.
    ///
    /// Origin: `replicatorDidError:info:`. New: ``GodwitSync/ReplicatorDelegate/replicatorDidError(_:error:)``.
    func replicatorDidError(_ replicator: CDTReplicator, info: any Error)
}

@available(*, deprecated)
extension CDTReplicatorDelegate {
    /// Does nothing.
    ///
    /// Origin: the method is optional. New: ``GodwitSync/ReplicatorDelegate/replicatorDidChangeState(_:)``.
    public func replicatorDidChangeState(_ replicator: CDTReplicator) {}
    /// Does nothing.
    ///
    /// Origin: the method is optional. New: ``GodwitSync/ReplicatorDelegate/replicatorDidChangeProgress(_:)``.
    public func replicatorDidChangeProgress(_ replicator: CDTReplicator) {}
    /// Does nothing.
    ///
    /// Origin: the method is optional. New: ``GodwitSync/ReplicatorDelegate/replicatorDidComplete(_:)``.
    public func replicatorDidComplete(_ replicator: CDTReplicator) {}
    /// Does nothing.
    ///
    /// Origin: the method is optional. New: ``GodwitSync/ReplicatorDelegate/replicatorDidError(_:error:)``.
    public func replicatorDidError(_ replicator: CDTReplicator, info: any Error) {}
}

/// Creates replicators.
///
/// Origin: `CDTReplicatorFactory`. New: ``GodwitSync/Replicator``'s initializers.
@available(*, deprecated, message: "Use Replicator.")
public final class CDTReplicatorFactory {
    /// Creates a factory.
    ///
    /// Origin: `initWithDatastoreManager:`. New: ``GodwitSync/Replicator``'s initializers.
    public init(datastoreManager: CDTDatastoreManager) {}

    /// Creates a replicator that runs once.
    ///
    /// - Throws: ``CDTError`` with the code 400 for an invalid URL or header.
    ///
    /// Origin: `oneWay:error:`. New: ``GodwitSync/Replicator/start()``.
    @available(*, deprecated, message: "Use Replicator.start().")
    public func oneWay(_ replication: CDTAbstractReplication) throws -> CDTReplicator {
        let trouble = InterceptorTrouble()
        return CDTReplicator(try replication.replicator(trouble), trouble)
    }
}

/// A replication that runs once. After its start, the replicator is retained until the replication ends.
///
/// Origin: `CDTReplicator`. New: ``GodwitSync/ReplicationRun``.
@available(*, deprecated, message: "Use ReplicationRun.")
public final class CDTReplicator: @unchecked Sendable {
    // Proof of `Sendable`: the lock guards all members that change.
    private let lock = NSLock()
    private let replicator: Replicator
    private let trouble: InterceptorTrouble
    private var currentState = CDTReplicatorState.pending
    private var run: ReplicationRun?
    private var failure: (any Error)?
    private weak var weakDelegate: (any CDTReplicatorDelegate)?

    init(_ replicator: Replicator, _ trouble: InterceptorTrouble) {
        (self.replicator, self.trouble) = (replicator, trouble)
    }

    /// The object that is called about the replicator. The replicator does not retain this object.
    ///
    /// Origin: `delegate`. New: `delegate` of ``GodwitSync/Replicator/start(telling:)``.
    public var delegate: (any CDTReplicatorDelegate)? {
        get { lock.withLock { weakDelegate } }
        set { lock.withLock { weakDelegate = newValue } }
    }

    /// The state.
    ///
    /// Origin: `state`. New: ``GodwitSync/ReplicationRun/state``.
    public var state: CDTReplicatorState { lock.withLock { currentState } }

    /// The number of changes that are completely processed; 0 before the start.
    ///
    /// Origin: `changesProcessed`. New: ``GodwitSync/ReplicationProgress/changesDone``.
    public var changesProcessed: Int { lock.withLock { run }?.progress.changesDone ?? 0 }

    /// The number of changes that the source has reported; 0 before the start.
    ///
    /// Origin: `changesTotal`. New: ``GodwitSync/ReplicationProgress/changesTotal``.
    public var changesTotal: Int { lock.withLock { run }?.progress.changesTotal ?? 0 }

    /// The failure; `nil` if there is none.
    ///
    /// Origin: `error`. New: ``GodwitSync/ReplicationRun/report()`` throws it.
    public var error: (any Error)? { lock.withLock { failure } }

    /// Whether the replication has started and not ended.
    ///
    /// Origin: `isActive`. New: ``GodwitSync/ReplicationRun/state``.
    @available(*, deprecated, message: "Use ReplicationRun.state.")
    public func isActive() -> Bool { [.started, .stopping].contains(state) }

    /// Returns the text of a state.
    ///
    /// Origin: `stringForReplicatorState:`. New: `ReplicationState.rawValue`.
    @available(*, deprecated, message: "Use ReplicationState.rawValue.")
    public static func stringForReplicatorState(_ state: CDTReplicatorState) -> String {
        "CDTReplicatorState\(state.rawValue.prefix(1).uppercased())\(state.rawValue.dropFirst())"
    }

    /// Starts the replication.
    ///
    /// - Throws: ``CDTError`` with the code 1 if the replicator was started or stopped before.
    ///
    /// Origin: `startWithError:`. New: ``GodwitSync/Replicator/start()``, any number of times.
    @available(*, deprecated, message: "Use Replicator.start().")
    public func start() throws {
        let started: ReplicationRun? = lock.withLock {
            guard currentState == .pending else { return nil }
            currentState = .started
            let run = replicator.start()
            self.run = run
            return run
        }
        guard let started else { throw CDTError(1, "A replicator runs once. Create a new one.") }
        trouble.stopping { started.stop() }
        Task {
            delegate?.replicatorDidChangeState(self)
            await follow(started)
        }
    }

    /// Asks the replication to stop. If the replicator has not started, it cannot be started any more, and its delegate
    /// is not called.
    ///
    /// - Returns: Whether the replication was active or had not started yet.
    ///
    /// Origin: `stop`. New: ``GodwitSync/ReplicationRun/stop()``.
    @available(*, deprecated, message: "Use ReplicationRun.stop().")
    @discardableResult
    public func stop() -> Bool {
        let (before, started) = lock.withLock {
            let before = currentState
            if before == .pending { currentState = .stopped }
            if before == .started { currentState = .stopping }
            return (before, run)
        }
        if before == .started {
            delegate?.replicatorDidChangeState(self)
            started?.stop()
        }
        return [.pending, .started, .stopping].contains(before)
    }

    private func follow(_ run: ReplicationRun) async {
        do {
            for try await event in run {
                if case .progress = event { delegate?.replicatorDidChangeProgress(self) }
            }
            let report = try await run.report()
            if trouble.hasRefused { throw CDTError(400, "An interceptor ended the replication.") }
            if let first = report.failures.first, report.counts.writeFailures > 0 {
                // The target refused some documents. Cloudant Sync reported no error in this case.
                throw CDTError(
                    first.status,
                    "\(report.counts.writeFailures) revisions were not replicated, \(first.id) first: \(first.reason)")
            }
            change(to: report.wasStopped ? .stopped : .complete)
            delegate?.replicatorDidComplete(self)
        } catch {
            let converted = CDTError(error)
            lock.withLock { failure = converted }
            change(to: .error)
            delegate?.replicatorDidError(self, info: converted)
        }
    }

    private func change(to state: CDTReplicatorState) {
        lock.withLock { currentState = state }
        delegate?.replicatorDidChangeState(self)
    }
}

@available(*, deprecated)
extension CDTDatastore {
    /// Sends all documents to a server.
    ///
    /// - Parameter completionHandler: Receives the error; `nil` if all documents were sent or the replicator was
    ///   stopped.
    /// - Returns: The replicator, which has started.
    ///
    /// Origin: `pushReplicationTarget:…completionHandler:`. New: ``GodwitSync/Replicator/run(onProgress:)``.
    @available(*, deprecated, message: "Use Replicator(.push, …).run().")
    @discardableResult
    public func push(
        to target: URL, username: String? = nil, password: String? = nil,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) throws -> CDTReplicator {
        try start(
            CDTPushReplication(source: self, target: target, username: username, password: password), completionHandler)
    }

    /// Gets all documents from a server.
    ///
    /// - Parameter completionHandler: Receives the error; `nil` if all documents were received or the replicator was
    ///   stopped.
    /// - Returns: The replicator, which has started.
    ///
    /// Origin: `pullReplicationSource:…completionHandler:`. New: ``GodwitSync/Replicator/run(onProgress:)``.
    @available(*, deprecated, message: "Use Replicator(.pull, …).run().")
    @discardableResult
    public func pull(
        from source: URL, username: String? = nil, password: String? = nil,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) throws -> CDTReplicator {
        try start(
            CDTPullReplication(source: source, target: self, username: username, password: password), completionHandler)
    }

    private func start(
        _ replication: CDTAbstractReplication, _ completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) throws -> CDTReplicator {
        let trouble = InterceptorTrouble()
        let replicator = CDTReplicator(try replication.replicator(trouble), trouble)
        let delegate = CompletionDelegate(completionHandler)
        replicator.delegate = delegate
        try replicator.start()
        return replicator
    }
}

/// A delegate that calls a closure when a replication ends. It retains itself until then.
@available(*, deprecated)
private final class CompletionDelegate: CDTReplicatorDelegate, @unchecked Sendable {
    // Proof of `Sendable`: the lock guards the reference to itself.
    private let completionHandler: @Sendable ((any Error)?) -> Void
    private let lock = NSLock()
    private var retained: CompletionDelegate?

    init(_ completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        self.completionHandler = completionHandler
        retained = self
    }

    func replicatorDidComplete(_ replicator: CDTReplicator) { end(nil) }

    func replicatorDidError(_ replicator: CDTReplicator, info: any Error) { end(info) }

    private func end(_ error: (any Error)?) {
        completionHandler(error)
        lock.withLock { retained = nil }
    }
}
