//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore

/// Runs functions of design documents in this process, on one thread. While a function runs, it may send a request to
/// the server, for example for the next rows of a list. To answer the request, the server may have to run another
/// function. A second thread runs such functions. A function on the second thread must not send a request that needs a
/// further function, because this would cause a deadlock.
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
        var execution: ScriptExecution?
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
            return try await thread.run { try self.runOnThread(call, ask: ask) }
        } catch let error as ScriptError {
            throw error
        } catch {
            throw .crashed
        }
    }

    private func runOnThread(_ call: ScriptCall, ask: ScriptQuestions?) throws(ScriptError) -> [UInt8] {
        let (machine, execution) = try readyMachine()
        (execution.ask, execution.origin) = (ask, call.program.origin)
        defer { (execution.ask, execution.origin) = (nil, nil) }
        if !machine.knows(call.program.key) { try machine.load(call.program.key, source: call.program.source) }
        return try machine.call(call.program.key, call.function, call.arguments)
    }

    private func readyMachine() throws(ScriptError) -> (ScriptMachine, ScriptExecution) {
        let (current, limits) = (machine.withLock { $0 }, limits)
        if let machine = current.machine, let execution = current.execution, current.limits == limits {
            return (machine, execution)
        }
        let (execution, log) = (ScriptExecution(), log)
        let host = ScriptHost(
            log: { text in
                if let origin = execution.origin { log(origin.line(text)) }
            },
            ask: { question in
                guard let ask = execution.ask else { return nil }
                return waiting { await ask(question) }
            })
        let newMachine = try ScriptMachine(limits: limits, host: host)
        let newState = Machine(machine: newMachine, execution: execution, limits: limits)
        machine.withLock { $0 = newState }
        return (newMachine, execution)
    }
}

/// The current call of a machine.
private final class ScriptExecution {
    var ask: ScriptQuestions?
    var origin: ScriptOrigin?
}
