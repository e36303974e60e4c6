//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore
import GodwitTransport

extension ReplicationMachine {
    mutating func failed(_ id: OperationID, _ error: ReplicationError) {
        guard let step = running[id], step.sleep == nil else { return }
        running[id] = nil
        if stage == .stopping { return finish() }
        if error.code == .replaced { return restart(error) }
        if case .carry = step.operation, [.attachmentRefused, .tooLarge].contains(error.code) {
            let document = step.items[0].document
            refusedForGood(
                step.items[0], ReplicationFailure(id: document.id, revision: document.revision, error))
            return record()
        }
        if isOfDocuments(error), retryApart(step, error) { return }
        again(step, error)
    }

    /// Whether a failure may be caused by the documents of a request, and not by the server.
    private func isOfDocuments(_ error: ReplicationError) -> Bool {
        error.isTransient && error.code != .network && error.retryAfterSeconds == nil
    }

    /// Separates documents that failed together in one request, or reports a document that failed alone.
    ///
    /// - Returns: Whether the failure was handled.
    private mutating func retryApart(_ step: Running, _ error: ReplicationError) -> Bool {
        guard step.failures + 1 >= ReplicationMachine.commonAttemptsMax else { return false }
        let isLast = step.failures + 1 >= limits.attemptsMax
        switch step.operation {
        case .read(let requested, _) where requested.count > 1: update(step.page) { $0.apart += requested }
        case .read(let requested, _) where isLast:
            let failure = ReplicationFailure(id: requested[0].id, revision: requested[0].revisions.first, error)
            var result = RevisionsRead()
            result.failures = [failure]
            read(requested, result, step)
        case .write where step.items.count > 1:
            for var item in step.items {
                item.isApart = true
                ready.append(item)
            }
        case .write where isLast, .carry where isLast:
            let document = step.items[0].document
            refusedForGood(
                step.items[0], ReplicationFailure(id: document.id, revision: document.revision, error))
            record()
        default: return false
        }
        return true
    }

    /// The maximum number of attempts of a request with several documents. After this number of attempts, the documents
    /// are tried one by one. If the network failed, the request is divided instead.
    private static let commonAttemptsMax = 3

    /// Schedules another attempt of a step, or ends the replication.
    mutating func again(_ step: Running, _ error: ReplicationError) {
        var step = step
        step.failures = error.hasMovedOn ? 1 : step.failures + 1
        if error.code == .network, step.failures > ReplicationMachine.commonAttemptsMax, let half = firstHalf(step) {
            step = half
            // The number of failures is reduced, so that the smaller step gets further attempts.
            step.failures = ReplicationMachine.commonAttemptsMax
        }
        guard error.isTransient, plan.isContinuous || step.failures < attemptsMax(of: step) else {
            stage = .ended
            actions.append(.cancelAll)
            actions.append(.finish(.failure(error)))
            return
        }
        isDoubtful = true
        wait(step, error)
    }

    /// Waits before the next attempt of a step.
    private mutating func wait(_ step: Running, _ error: ReplicationError) {
        var step = step
        invariant(step.failures > 0, "a step that waits has failed")
        invariant(running[nextID] == nil, "a wait has a number of its own")
        trouble = ((trouble?.count ?? 0) + 1, error)
        step.sleep = error.code == .network ? .noNetwork : .peerFailed
        running[nextID] = step
        actions.append(.sleep(nextID, seconds: backoff.seconds(after: step.failures, error)))
        nextID += 1
    }

    /// Divides a step that is too large for the connection, and returns its first half. The other half is processed
    /// later.
    ///
    /// - Returns: `nil` if the step cannot be divided.
    private mutating func firstHalf(_ step: Running) -> Running? {
        var half = step
        switch step.operation {
        case .readChanges(var query) where query.limit > 1:
            query.limit /= 2
            feed.limit = query.limit
            half.operation = .readChanges(query)
        case .read(let requested, let bytesMax) where requested.count > 1:
            batch.broke()
            half.operation = .read(Array(requested.prefix(requested.count / 2)), bytesMax: bytesMax)
            update(step.page) { $0.unreadRevisions = requested.dropFirst(requested.count / 2) + $0.unreadRevisions }
        case .write where step.items.count > 1:
            batch.broke()
            half.items = Array(step.items.prefix(step.items.count / 2))
            half.operation = .write(half.items.map(\.document), replication: plan.id)
            ready = step.items.dropFirst(step.items.count / 2) + ready
        default: return nil
        }
        return half
    }

    private func attemptsMax(of step: Running) -> Int {
        // A one-shot replication must report soon after its start that a database cannot be reached.
        if case .open = step.operation { return min(limits.attemptsMax, ReplicationMachine.openAttemptsMax) }
        return limits.attemptsMax
    }

    /// The maximum number of attempts to open both databases.
    private static let openAttemptsMax = 2

    mutating func wake(_ id: OperationID) {
        if id == rewind { return readAgain() }
        if id == instanceSleep { return compareInstances() }
        guard let step = running[id], step.sleep != nil else { return }
        running[id] = nil
        start(step)
    }

    /// Repeats at once the steps that wait for the network.
    mutating func wakeAll() {
        for id in running.keys.sorted() where running[id]?.sleep == .noNetwork { wake(id) }
    }

    // MARK: Databases that were replaced

    /// The maximum number of times that a run which is not continuous begins again without progress.
    private static let restartsMax = 5

    /// Begins again after another database has taken the place of the source or the target.
    private mutating func restart(_ error: ReplicationError) {
        invariant(stage == .beginning || stage == .replicating, "a replication begins again while it runs")
        restarts += 1
        guard plan.isContinuous || restarts <= ReplicationMachine.restartsMax else {
            stage = .ended
            actions += [.cancelAll, .finish(.failure(error))]
            return
        }
        actions.append(.cancelAll)
        (running, pages, ready, large, bytesHeld, repeated) = ([:], [], [], [], 0, [])
        (feed, recorded, saved, rewind, instanceSleep) = (Feed(), nil, nil, nil, nil)
        (isHeld, isDoubtful, changesDone, changesDoneWhenSaved) = (false, false, 0, 0)
        counts.writeFailures -= failures.count
        invariant(counts.writeFailures >= 0, "failures that are forgotten were counted")
        failures = []
        (leftOut, savedLeftOut, isLeftOutFull) = (LeftOut(), LeftOut(), false)
        stage = .beginning
        var step = Running(operation: .open)
        step.failures = restarts
        wait(step, error)
    }

    /// Compares the instances of the databases now, if a step failed and another one succeeded after it: the server may
    /// have come back with another database.
    mutating func compareInstancesIfDoubtful() {
        guard isDoubtful, stage == .replicating else { return }
        compareInstances()
    }

    private mutating func compareInstances() {
        if let instanceSleep { actions.append(.cancel(instanceSleep)) }
        (isDoubtful, instanceSleep) = (false, nil)
        guard count({ if case .checkInstances = $0 { true } else { false } }) == 0 else { return }
        start(Running(operation: .checkInstances))
    }

    /// Plans the next comparison of a continuous replication, which may wait for changes for a long time.
    mutating func compareInstancesLater() {
        guard plan.isContinuous, instanceSleep == nil, stage == .replicating else { return }
        instanceSleep = nextID
        actions.append(.sleep(nextID, seconds: limits.instanceCheckSeconds))
        nextID += 1
    }

    // MARK: Retries of failed documents

    /// Plans to read the changes again after a transient failure of a document, in a continuous replication.
    mutating func rewindWhenHeld() {
        guard plan.isContinuous, isHeld, rewind == nil, pages.isEmpty, feed.isCaughtUp else { return }
        rewinds += 1
        rewind = nextID
        let error = ReplicationError(.peerFailed, "documents failed")
        actions.append(
            .sleep(nextID, seconds: backoff.seconds(after: rewinds + ReplicationMachine.commonAttemptsMax, error)))
        nextID += 1
    }

    /// Reads the changes again from the last recorded sequence.
    private mutating func readAgain() {
        rewind = nil
        guard isHeld, pages.isEmpty else { return }
        invariant(bytesHeld == 0, "changes are read again when no document is held")
        for (id, step) in running {
            guard case .readChanges = step.operation else { continue }
            running[id] = nil
            actions.append(.cancel(id))
        }
        isHeld = false
        feed = Feed(sequence: recorded)
        counts.writeFailures -= failures.count { $0.isTransient }
        failures.removeAll { $0.isTransient }
        invariant(failures.count <= counts.writeFailures, "each failure that is listed is counted")
    }
}

extension ReplicationFailure {
    /// Creates the failure of the only document of a step.
    fileprivate init(id: String, revision: RevisionID?, _ error: ReplicationError) {
        self.init(
            id: id, revision: revision, status: error.status ?? 502, error: error.code.description,
            reason: error.message)
    }
}
