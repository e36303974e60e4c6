//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Runs the functions of design documents.
///
/// ```swift
/// let manager = try DatastoreManager(directory: directory, scripts: .inProcess())
/// ```
public struct ScriptEngine: Sendable {
    let runner: any ScriptRunner

    /// Functions run in this process on a thread of their own, as an app does it.
    ///
    /// A function's time is limited, its memory is not: run those of strangers in processes of their own.
    ///
    /// - Parameters:
    ///   - limits: How much a function may take.
    ///   - log: Is given what functions say with `log`.
    public static func inProcess(
        limits: ScriptLimits = ScriptLimits(), log: @escaping @Sendable (ScriptLogLine) -> Void = { _ in }
    ) -> ScriptEngine {
        ScriptEngine(runner: LocalScripts(limits: limits, log: log))
    }

    /// Functions run in processes that this one starts when they are needed, with limits of memory and time and without
    /// files and network. What one of them does to itself costs its own caller an error and nobody else anything.
    ///
    /// - Parameters:
    ///   - program: How such a process is started: a program that calls ``ScriptWorker/run()``.
    ///   - limits: How much a function may take.
    ///   - log: Is given what functions say with `log`.
    public static func workers(
        _ program: ScriptWorkerProgram, limits: ScriptLimits = ScriptLimits(),
        log: @escaping @Sendable (ScriptLogLine) -> Void = { _ in }
    ) -> ScriptEngine {
        ScriptEngine(runner: WorkerScripts(program: program, limits: limits, log: log))
    }

    /// Changes the limits: calls that begin from now on have them.
    package func setLimits(_ limits: ScriptLimits) { runner.setLimits(limits) }

    /// The limits that calls have now.
    package var limits: ScriptLimits { runner.limits }

    /// Runs a function and gives what it answered.
    ///
    /// - Parameters:
    ///   - call: What to run.
    ///   - ask: Answers what the function asks for in the midst of its run; `nil` ends the run.
    package func answer(
        to call: ScriptCall, ask: ScriptQuestions? = nil
    ) async throws(ScriptError) -> ScriptAnswer {
        let answering = ask.map { ask -> ScriptQuestions in
            { question in await ScriptEngine.$isAnswering.withValue(true) { await ask(question) } }
        }
        return try ScriptAnswer(await runner.run(call, ask: answering))
    }

    /// Whether this task answers a function that runs and waits for it. What it calls itself must not wait for a place: functions
    /// that wait for their answers would have them all.
    @TaskLocal static var isAnswering = false
}

/// Answers what a function asks for in the midst of its run; `nil` ends the run.
package typealias ScriptQuestions = @Sendable ([UInt8]) async -> [UInt8]?

/// Where functions run.
protocol ScriptRunner: Sendable {
    /// How much a function may take.
    var limits: ScriptLimits { get }

    /// Changes the limits: calls that begin from now on have them.
    func setLimits(_ limits: ScriptLimits)

    /// Runs a function.
    ///
    /// - Returns: The text that the runtime gave: `{"answer": …}` or `{"error": …, "reason": …}`.
    func run(_ call: ScriptCall, ask: ScriptQuestions?) async throws(ScriptError) -> [UInt8]
}
