//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import Testing

/// A replication machine with its pending operations.
struct MachineBench {
    var machine: ReplicationMachine
    var asked: [(id: Int, operation: ReplicationMachine.Operation)] = []
    var sleeps: [(id: Int, seconds: Double)] = []
    var result: Result<ReplicationReport, ReplicationError>?
    var now = 0.0

    init(continuous: Bool = false, _ change: (inout ReplicationLimits) -> Void = { _ in }) {
        var plan = ReplicationMachine.Plan(id: "id", sessionID: "session") { "2026-11-21T00:00:00Z" }
        change(&plan.limits)
        plan.isContinuous = continuous
        self.init(plan)
    }

    init(_ plan: ReplicationMachine.Plan) {
        machine = ReplicationMachine(plan)
        tell(.begin)
    }

    /// Returns a bench on which both sides are opened.
    static func opened(
        continuous: Bool = false, _ change: (inout ReplicationLimits) -> Void = { _ in }
    ) throws -> MachineBench {
        var bench = MachineBench(continuous: continuous, change)
        try bench.answer(.opened)
        return bench
    }

    mutating func tell(_ event: ReplicationMachine.Event) {
        for action in machine.handle(event, at: now) {
            switch action {
            case .perform(let id, .checkInstances): tell(.done(id, .sameInstances))
            case .perform(let id, let operation): asked.append((id, operation))
            case .sleep(let id, let seconds):
                // Comparisons of instances are answered at once.
                if seconds != ReplicationLimits().instanceCheckSeconds { sleeps.append((id, seconds)) }
            case .cancel(let id): asked.removeAll { $0.id == id }
            case .cancelAll: asked = []
            case .finish(let result): self.result = result
            }
        }
    }

    /// Completes the oldest pending operation of a kind.
    mutating func answer(
        _ outcome: ReplicationMachine.Outcome, _ isMeant: (ReplicationMachine.Operation) -> Bool = { _ in true }
    ) throws {
        let position = try #require(asked.firstIndex { isMeant($0.operation) })
        tell(.done(asked.remove(at: position).id, outcome))
    }

    mutating func fail(_ error: ReplicationError) throws {
        try #require(!asked.isEmpty)
        tell(.failed(asked.removeFirst().id, error))
    }

    mutating func wake() throws {
        try #require(!sleeps.isEmpty)
        tell(.woke(sleeps.removeFirst().id))
    }

    /// Runs the machine up to its first request for changes.
    mutating func load(_ source: JSONObject? = nil, _ target: JSONObject? = nil) throws {
        try answer(.checkpoints([(source, target)]))
    }
}

func isRead(_ operation: ReplicationMachine.Operation) -> Bool {
    if case .read = operation { true } else { false }
}

func isWrite(_ operation: ReplicationMachine.Operation) -> Bool {
    if case .write = operation { true } else { false }
}

func isMissing(_ operation: ReplicationMachine.Operation) -> Bool {
    if case .findMissing = operation { true } else { false }
}

func isChanges(_ operation: ReplicationMachine.Operation) -> Bool {
    if case .readChanges = operation { true } else { false }
}

func isSave(_ operation: ReplicationMachine.Operation) -> Bool {
    if case .saveCheckpoints = operation { true } else { false }
}

let one = RevisionID("1-a")!
let two = RevisionID("2-b")!

func page(_ ids: [String], last: String, isLast: Bool = true, pending: Int = 0) -> ReplicationMachine.Outcome {
    .changes(
        ChangesPage(
            changes: ids.map { RevisionsOfDocument(id: $0, revisions: [one]) }, lastSequence: last, pending: pending,
            isLast: isLast))
}

func unreadRevisions(_ ids: [String]) -> [WantedRevisions] {
    ids.map { WantedRevisions(id: $0, revisions: [one]) }
}

func documents(_ ids: [String]) -> ReplicationMachine.Outcome {
    var result = RevisionsRead()
    result.documents = ids.map { ReplicatedDocument(id: $0, revision: one, text: []) }
    return .read(result)
}

func failure(_ id: String, _ status: Int, _ error: String = "forbidden") -> ReplicationFailure {
    ReplicationFailure(id: id, revision: one, status: status, error: error, reason: "")
}
