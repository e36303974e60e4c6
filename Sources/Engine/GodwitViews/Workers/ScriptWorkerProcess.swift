//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CWorker
import GodwitBase
import GodwitStore

/// The server's side of a process that runs functions. Only one thread at a time may run calls; any thread may call
/// ``kill()`` at any time.
final class ScriptWorkerProcess: Sendable {
    private let process: pid_t
    private let channel: ScriptChannel
    /// The limits with which the process was started.
    let limits: ScriptLimits
    /// The databases whose functions have run in the process, and whether the process is alive.
    private let state = Mutex((owners: Set<ExactText>(), isAlive: true))

    /// Starts a process.
    init(_ program: ScriptWorkerProgram, limits: ScriptLimits) throws(ScriptError) {
        var (process, file) = (pid_t(), Int32())
        let error = Self.withCStrings([program.path] + program.arguments + limits.arguments) { arguments in
            Self.withCStrings(Self.environment(limits)) { godwit_worker_start(arguments, $0, &process, &file) }
        }
        guard error == 0 else {
            throw .unavailable("The process for functions cannot be started: \(String(cString: strerror(error))).")
        }
        self.process = process
        self.limits = limits
        channel = ScriptChannel(file: file, messageBytesMax: limits.messageBytesMax)
    }

    deinit { _ = end() }

    /// Returns the environment of a worker, without variables that could contain secrets. `JSC_forceRAMSize` makes
    /// JavaScriptCore collect garbage as if the computer had only as much memory as the worker may use.
    private static func environment(_ limits: ScriptLimits) -> [String] {
        let passedNames: [String] = ["TZ", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"]
        return passedNames.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
            + ["JSC_forceRAMSize=\(limits.memoryBytesMax)"]
    }

    /// Whether the process can run further calls. It is `true` until a call or ``end()`` notices that the process has
    /// ended.
    var isAlive: Bool { state.withLock { $0.isAlive } }

    /// Whether functions of other databases have run in the process. In this case, the process may have ended because
    /// these functions used too much memory.
    func hasServedOthers(than owner: String) -> Bool {
        state.withLock { !$0.owners.subtracting([ExactText(owner)]).isEmpty }
    }

    /// Runs a function and blocks this thread until it ends.
    func result(
        of call: ScriptCall, ask: ScriptQuestions?, log: @Sendable (ScriptLogLine) -> Void
    ) -> Result<[UInt8], ScriptError> {
        do throws(ScriptError) {
            return .success(try run(call, ask: ask, log: log))
        } catch {
            return .failure(error)
        }
    }

    private func run(
        _ call: ScriptCall, ask: ScriptQuestions?, log: @Sendable (ScriptLogLine) -> Void
    ) throws(ScriptError) -> [UInt8] {
        state.withLock { _ = $0.owners.insert(ExactText(call.program.owner)) }
        let program = call.program
        let request = ScriptMessage.call(program: program.key, function: call.function, arguments: call.arguments)
        if let answer = try exchange(request, of: program, ask: ask, log: log) { return answer }
        _ = try exchange(.load(program: program.key, source: program.source), of: program, ask: nil, log: log)
        guard let answer = try exchange(request, of: program, ask: ask, log: log) else { throw .crashed }
        return answer
    }

    /// Sends a request and waits for its answer; `nil` when the program is not loaded in the process.
    private func exchange(
        _ request: ScriptMessage, of program: ScriptProgram, ask: ScriptQuestions?,
        log: @Sendable (ScriptLogLine) -> Void
    ) throws(ScriptError) -> [UInt8]? {
        do {
            // After each request of the function, the deadline is set again, because the reply of the server may take
            // long. The total processor time is still limited, by the worker.
            var deadline = godwit_worker_now() + limits.callSecondsMax + limits.graceSeconds
            try channel.write(request, until: deadline)
            while true {
                switch try channel.read(until: deadline) {
                case .answer(let text): return text
                case .failure(let failure): throw failure
                case .unknownProgram: return nil
                case .log(let text): log(program.origin.line(text))
                case .question(let question):
                    let reply = ask.flatMap { ask in waiting { await ask(question) } }
                    deadline = godwit_worker_now() + limits.callSecondsMax + limits.graceSeconds
                    try channel.write(reply.map { .reply($0) } ?? .noReply, until: deadline)
                default: throw ScriptChannel.Failure.closed
                }
            }
        } catch let failure as ScriptError {
            // After a failure with one of these codes, the process sends no further message, and exits.
            if failure.code == .unconfined || failure.code == .unavailable { _ = end() }
            throw failure
        } catch let failure as ScriptChannel.Failure {
            throw ended(by: failure)
        } catch {
            throw .crashed
        }
    }

    private func ended(by failure: ScriptChannel.Failure) -> ScriptError {
        let status = end()
        switch failure {
        case .expired: return .timeout(seconds: limits.callSecondsMax)
        case .tooLarge: return .tooLarge(bytesMax: limits.messageBytesMax)
        case .closed: return status == Int32(GODWIT_MEMORY_EXCEEDED_STATUS) ? .memory : .crashed
        }
    }

    /// Kills the process. The thread that waits for an answer then gets an error, and collects the exit status of the
    /// process.
    func kill() {
        // The process id still belongs to this process. The system can reuse it only after the exit status was
        // collected, and this is done only after `isAlive` became `false`.
        state.withLock { state in
            if state.isAlive { _ = sendSignal(process, SIGKILL) }
        }
    }

    /// Ends the process.
    ///
    /// - Returns: The exit status; `nil` when the process was ended before.
    func end() -> Int32? {
        let wasAlive = state.withLock { state in
            defer { state.isAlive = false }
            return state.isAlive
        }
        return wasAlive ? godwit_worker_end(process, channel.file) : nil
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) } + [nil]
        defer { copies.forEach { free($0) } }
        return copies.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}

/// Calls the system's function `kill`. In this class, the method with the same name hides it.
private func sendSignal(_ process: pid_t, _ number: Int32) -> Int32 { kill(process, number) }
