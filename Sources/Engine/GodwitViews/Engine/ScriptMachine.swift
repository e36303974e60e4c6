//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CViews
import GodwitBase

/// Runs JavaScript on one thread, with a separate context for each program. It has at most
/// ``ScriptLimits/programsPerWorkerMax`` contexts. Before a further context is created, the least recently used context
/// is removed.
final class ScriptMachine {
    private struct ExecutionContext {
        let context: OpaquePointer
        var lastUse: Int
    }

    private let group: OpaquePointer
    private let limits: ScriptLimits
    private let host: ScriptHost
    private var contexts: [String: ExecutionContext] = [:]
    private var callCount = 0

    /// Creates a machine without contexts.
    ///
    /// - Throws: ``ScriptError`` with the code `unavailable` when JavaScriptCore cannot be loaded.
    init(limits: ScriptLimits, host: ScriptHost) throws(ScriptError) {
        if let failure = godwit_js_load() { throw .unavailable(String(cString: failure)) }
        self.group = godwit_js_group_create()
        self.limits = limits
        self.host = host
        godwit_js_group_set_time_limit(group, limits.callSecondsMax)
    }

    deinit {
        for entry in contexts.values { godwit_js_context_free(entry.context) }
        godwit_js_group_free(group)
    }

    /// Whether a program is loaded.
    func knows(_ program: String) -> Bool { contexts[program] != nil }

    /// Initializes the parts of JavaScriptCore that are usually loaded when they are first used. This must be done
    /// before the process gives up the right to open files.
    func warmUp() throws(ScriptError) {
        try load("", source: Array("{}".utf8))
        _ = try call("", "warmUp", [])
        forget("")
    }

    /// Creates a context for a program and loads its design document.
    func load(_ program: String, source: [UInt8]) throws(ScriptError) {
        if contexts.count >= limits.programsPerWorkerMax { forgetOldest() }
        var failure: UnsafeMutablePointer<CChar>?
        let newContext = godwit_js_context_create(group, godwit_script_runtime(), host.functions, &failure)
        guard let newContext else {
            defer { free(failure) }
            throw .unavailable("JavaScript did not start: \(failure.map { String(cString: $0) } ?? "out of memory")")
        }
        contexts[program] = ExecutionContext(context: newContext, lastUse: callCount)
        _ = try call(program, "open", [source])
    }

    /// Calls a function of the runtime in the context of a loaded program.
    ///
    /// - Throws: ``ScriptError`` with the code `timeout` when the function takes too long. After a timeout, the program
    ///   is no longer loaded. The code is `crashed` when the program is not loaded, and `invalidAnswer` when the
    ///   runtime fails.
    func call(_ program: String, _ function: String, _ arguments: [[UInt8]]) throws(ScriptError) -> [UInt8] {
        guard let context = contexts[program]?.context else { throw .crashed }
        callCount += 1
        contexts[program]?.lastUse = callCount
        let answer = withTexts(arguments) { texts in
            function.withCString { godwit_js_call(context, $0, texts, arguments.count) }
        }
        defer { free(answer.text) }
        if answer.expired {
            // When a function is interrupted, the state of its context is undefined.
            forget(program)
            throw .timeout(seconds: limits.callSecondsMax)
        }
        let text = answer.text.map { Array(UnsafeRawBufferPointer(start: $0, count: answer.length)) } ?? []
        guard !answer.failed else { throw .invalidAnswer(String(decoding: text, as: UTF8.self)) }
        return text
    }

    private func forgetOldest() {
        if let oldest = contexts.min(by: { $0.value.lastUse < $1.value.lastUse }) { forget(oldest.key) }
    }

    private func forget(_ program: String) {
        if let entry = contexts.removeValue(forKey: program) { godwit_js_context_free(entry.context) }
    }

    /// Calls `body` with texts as C strings. JSON never contains a zero byte, so it is passed completely. If the name
    /// of a function contains a zero byte, the name ends there.
    private func withTexts<Result>(
        _ texts: [[UInt8]], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers: [UnsafePointer<CChar>?] = []
        // This function is recursive, because each pointer is valid only within its closure.
        func withPointer(_ index: Int) -> Result {
            guard index < texts.count else { return pointers.withUnsafeBufferPointer { body($0.baseAddress!) } }
            return (texts[index] + [0]).withUnsafeBytes { bytes in
                pointers.append(bytes.assumingMemoryBound(to: CChar.self).baseAddress)
                return withPointer(index + 1)
            }
        }
        pointers.reserveCapacity(texts.count + 1)
        return withPointer(0)
    }
}

/// The functions of the host program that scripts can call.
final class ScriptHost {
    private let log: ([UInt8]) -> Void
    private let ask: ([UInt8]) -> [UInt8]?

    init(log: @escaping ([UInt8]) -> Void, ask: @escaping ([UInt8]) -> [UInt8]?) {
        self.log = log
        self.ask = ask
    }

    /// C functions that call the methods of this object. They must not be called after the object was deallocated.
    var functions: godwit_js_host {
        godwit_js_host(
            info: Unmanaged.passUnretained(self).toOpaque(),
            log: { info, line, length in
                ScriptHost.from(info).log(Array(UnsafeRawBufferPointer(start: line, count: length)))
            },
            ask: { info, question, length in
                let question = Array(UnsafeRawBufferPointer(start: question, count: length))
                guard let answer = ScriptHost.from(info).ask(question) else { return nil }
                return (answer + [0]).withUnsafeBytes { bytes in
                    let copy = malloc(bytes.count)!
                    memcpy(copy, bytes.baseAddress!, bytes.count)
                    return copy.assumingMemoryBound(to: CChar.self)
                }
            })
    }

    private static func from(_ info: UnsafeMutableRawPointer?) -> ScriptHost {
        Unmanaged<ScriptHost>.fromOpaque(info!).takeUnretainedValue()
    }
}
