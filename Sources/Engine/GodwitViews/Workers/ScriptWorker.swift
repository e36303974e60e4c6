//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CWorker
import GodwitBase

/// The main function of a process that runs functions of design documents.
public enum ScriptWorker {
    /// The argument of a worker. A program that gets it calls ``run()`` and does nothing else.
    public static let argument = "script-worker"

    /// Answers the messages on standard input until it is closed, then exits.
    ///
    /// On Linux, the process first gives up its rights to access files, to access the network, and to start programs.
    /// It exits when it uses more memory than its limit. If Linux does not allow this, the process runs functions only
    /// if the limits allow unconfined functions. Otherwise, it answers with an error. On other systems, the process is
    /// not confined, and its memory is not limited.
    public static func run() -> Never {
        godwit_close_inherited_files()
        let limits = ScriptLimits(reading: CommandLine.arguments)
        let channel = ScriptChannel(file: 0, messageBytesMax: limits.messageBytesMax)
        do {
            let session = try ScriptWorkerSession(channel: channel, limits: limits)
            godwit_watch_memory(limits.memoryBytesMax)
            let error = godwit_confine()
            guard error == 0 || limits.allowsUnconfined else {
                throw ScriptError.unconfined(String(cString: strerror(error)))
            }
            while true { try session.answerNext() }
        } catch let failure as ScriptError {
            // The failure is sent as the answer to the first message.
            _ = try? channel.read(until: ScriptChannel.never)
            try? channel.write(.failure(failure), until: ScriptChannel.never)
        } catch {}
        exit(0)
    }
}

/// The worker's side of the channel. It reads the messages of the server and writes the answers.
private final class ScriptWorkerSession {
    private let channel: ScriptChannel
    private let machine: ScriptMachine

    init(channel: ScriptChannel, limits: ScriptLimits) throws(ScriptError) {
        self.channel = channel
        var remainingLogBytes = limits.logBytesMax
        let host = ScriptHost(
            log: { line in
                guard remainingLogBytes > 0 else { return }
                let loggedBytes = line.prefix(remainingLogBytes)
                remainingLogBytes -= loggedBytes.count
                try? channel.write(.log(Array(loggedBytes)), until: ScriptChannel.never)
            },
            ask: { question in
                try? channel.write(.question(question), until: ScriptChannel.never)
                guard case .reply(let text)? = try? channel.read(until: ScriptChannel.never) else { return nil }
                return text
            })
        machine = try ScriptMachine(limits: limits, host: host)
        resetLogLimit = { remainingLogBytes = limits.logBytesMax }
        try machine.warmUp()
    }

    private let resetLogLimit: () -> Void

    func answerNext() throws(ScriptChannel.Failure) {
        resetLogLimit()
        let answer = answer(to: try channel.read(until: ScriptChannel.never))
        do {
            try channel.write(answer, until: ScriptChannel.never)
        } catch .tooLarge {
            try channel.write(
                .failure(.tooLarge(bytesMax: channel.messageBytesMax)), until: ScriptChannel.never)
        }
    }

    private func answer(to message: ScriptMessage) -> ScriptMessage {
        do {
            switch message {
            case .call(let program, let function, let arguments):
                guard machine.knows(program) else { return .unknownProgram }
                return .answer(try machine.call(program, function, arguments))
            case .load(let program, let source):
                try machine.load(program, source: source)
                return .answer([])
            default: return .failure(.crashed)
            }
        } catch {
            return .failure(error)
        }
    }
}

extension ScriptLimits {
    /// The argument of a worker that may run unconfined.
    private static let unconfined = "unconfined"

    /// The limits of a worker as arguments, in this order: whether the worker may run unconfined, the seconds of a
    /// call, the bytes of memory, the bytes of a message, the bytes of a log, and the number of programs.
    var arguments: [String] {
        [
            allowsUnconfined ? ScriptLimits.unconfined : "confined",
            "\(callSecondsMax)", "\(memoryBytesMax)", "\(messageBytesMax)", "\(logBytesMax)",
            "\(programsPerWorkerMax)",
        ]
    }

    fileprivate init(reading arguments: [String]) {
        self.init()
        allowsUnconfined = arguments.dropLast(5).last == ScriptLimits.unconfined
        let values = arguments.suffix(5).map { Double($0) ?? 0 }
        guard values.count == 5, values.allSatisfy({ $0 > 0 }) else { return }
        callSecondsMax = values[0]
        memoryBytesMax = Int(values[1])
        messageBytesMax = Int(values[2])
        logBytesMax = Int(values[3])
        programsPerWorkerMax = Int(values[4])
    }
}
