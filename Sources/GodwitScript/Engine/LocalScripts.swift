//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitThreads

/// Runs functions of design documents in this process. One thread runs them; a second thread runs functions that are
/// needed to answer a function on the first one.
struct LocalScripts: ScriptRunner {
    private let calls: LocalThread
    private let answers: LocalThread

    init(limits: ScriptLimits, log: @escaping @Sendable (ScriptLogLine) -> Void) {
        calls = LocalThread(limits: limits, log: log)
        answers = LocalThread(limits: limits, log: log)
    }

    var limits: ScriptLimits { calls.limits }

    func setLimits(_ limits: ScriptLimits) {
        calls.setLimits(limits)
        answers.setLimits(limits)
    }

    func run(_ call: ScriptCall, ask: ScriptQuestions?) async throws(ScriptError) -> [UInt8] {
        try await (ScriptEngine.isAnswering ? answers : calls).run(call, ask: ask)
    }
}

/// A thread that runs functions. Its JavaScript machine is created at the first call.
private final class LocalThread: Sendable {
    private let newestLimits: Mutex<ScriptLimits>
    private let log: @Sendable (ScriptLogLine) -> Void
    private let thread = BlockingPool(threadsMax: 1, stackBytes: 4 << 20)
    private let machine = Mutex(Machine())

    private struct Machine: @unchecked Sendable {
        // Proof of `Sendable`: the machine is created and used only on the pool's single thread.
        var machine: ScriptMachine?
        var turn: ScriptExecution?
        var limits: ScriptLimits?
    }

    init(limits: ScriptLimits, log: @escaping @Sendable (ScriptLogLine) -> Void) {
        newestLimits = Mutex(limits)
        self.log = log
    }

    var limits: ScriptLimits { newestLimits.withLock { $0 } }

    func setLimits(_ limits: ScriptLimits) { newestLimits.withLock { $0 = limits } }

    func run(_ call: ScriptCall, ask: ScriptQuestions?) async throws(ScriptError) -> [UInt8] {
        do {
            return try await thread.run { try self.runHere(call, ask: ask) }
        } catch let error as ScriptError {
            throw error
        } catch {
            throw .crashed
        }
    }

    private func runHere(_ call: ScriptCall, ask: ScriptQuestions?) throws(ScriptError) -> [UInt8] {
        let (machine, turn) = try ready()
        (turn.ask, turn.origin) = (ask, call.program.origin)
        defer { (turn.ask, turn.origin) = (nil, nil) }
        if !machine.knows(call.program.key) { try machine.load(call.program.key, source: call.program.source) }
        return try machine.call(call.program.key, call.function, call.arguments)
    }

    private func ready() throws(ScriptError) -> (ScriptMachine, ScriptExecution) {
        let (made, limits) = (machine.withLock { $0 }, limits)
        if let machine = made.machine, let turn = made.turn, made.limits == limits { return (machine, turn) }
        let (turn, log) = (ScriptExecution(), log)
        let host = ScriptHost(
            log: { text in
                if let origin = turn.origin { log(origin.line(text)) }
            },
            ask: { question in
                guard let ask = turn.ask else { return nil }
                return waiting { await ask(question) }
            })
        let fresh = try ScriptMachine(limits: limits, host: host)
        let kept = Machine(machine: fresh, turn: turn, limits: limits)
        machine.withLock { $0 = kept }
        return (fresh, turn)
    }
}

/// The current call of a machine.
private final class ScriptExecution {
    var ask: ScriptQuestions?
    var origin: ScriptOrigin?
}
