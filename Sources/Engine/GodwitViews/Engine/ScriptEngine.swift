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

    /// Creates an engine that runs functions in this process on separate threads. Use it in an app.
    ///
    /// Only the processor time of a function is limited. Its memory, its arguments, its answer and its log are not
    /// limited. For functions that are not trusted, use ``workers(_:limits:log:)``.
    ///
    /// - Parameters:
    ///   - limits: The limits of functions.
    ///   - log: A closure that is called with each line that a function writes with `log`.
    public static func inProcess(
        limits: ScriptLimits = ScriptLimits(), log: @escaping @Sendable (ScriptLogLine) -> Void = { _ in }
    ) -> ScriptEngine {
        ScriptEngine(runner: LocalScripts(limits: limits, log: log))
    }

    /// Creates an engine that runs functions in separate processes and limits their time. On Linux, the memory of the
    /// processes is also limited, and they can access neither files nor the network. If
    /// ``ScriptLimits/allowsUnconfined`` is set, functions run even if Linux cannot confine the processes. A function
    /// that ends its process causes an error only for its caller.
    ///
    /// - Parameters:
    ///   - program: The program of the processes, which calls ``ScriptWorker/run()``.
    ///   - limits: The limits of functions.
    ///   - log: A closure that is called with each line that a function writes with `log`.
    public static func workers(
        _ program: ScriptWorkerProgram, limits: ScriptLimits = ScriptLimits(),
        log: @escaping @Sendable (ScriptLogLine) -> Void = { _ in }
    ) -> ScriptEngine {
        ScriptEngine(runner: WorkerScripts(program: program, limits: limits, log: log))
    }

    /// Changes the limits for all calls that start later.
    package func setLimits(_ limits: ScriptLimits) { runner.setLimits(limits) }

    /// The current limits.
    package var limits: ScriptLimits { runner.limits }

    /// Runs a function and returns its answer.
    ///
    /// - Parameters:
    ///   - call: The function to run.
    ///   - ask: A closure that answers the requests that the function sends while it runs, for example for the next
    ///     rows of a list. If the closure returns `nil`, the function is ended.
    /// - Throws: ``ScriptError`` when the function throws, is stopped, cannot be run, or returns no valid answer.
    package func answer(
        to call: ScriptCall, ask: ScriptQuestions? = nil
    ) async throws(ScriptError) -> ScriptAnswer {
        let answering = ask.map { ask -> ScriptQuestions in
            { question in await ScriptEngine.$isAnswering.withValue(true) { await ask(question) } }
        }
        return try ScriptAnswer(await runner.run(call, ask: answering))
    }

    /// Whether this task answers a request of a running function. If so, calls of functions by this task must not wait
    /// for a free process. Otherwise, all processes could be used by functions that wait for answers, which would be a
    /// deadlock.
    @TaskLocal static var isAnswering = false
}

/// A closure that answers a request of a running function. If it returns `nil`, the function is ended.
package typealias ScriptQuestions = @Sendable ([UInt8]) async -> [UInt8]?

/// The implementation of an engine: in this process or in workers.
protocol ScriptRunner: Sendable {
    /// The current limits.
    var limits: ScriptLimits { get }

    /// Changes the limits for all calls that start later.
    func setLimits(_ limits: ScriptLimits)

    /// Runs a function.
    ///
    /// - Returns: The text from the runtime: `{"answer": …}` or `{"error": …, "reason": …}`.
    func run(_ call: ScriptCall, ask: ScriptQuestions?) async throws(ScriptError) -> [UInt8]
}
