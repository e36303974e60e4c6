//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CWorker
import ProgramKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The main function of a process that speaks or recognizes speech.
///
/// A program that uses ``SpeechWorkers`` calls ``runIfRequested()`` before anything else.
enum SpeechWorker {
    /// The first argument of the process.
    static let argument = "speech-worker"
    /// The priority of the process. It is low, so that other work is not delayed. It is not the lowest, because a
    /// process with the lowest priority would get only a hundredth of a busy core.
    private static let niceness: Int32 = 10

    /// If the program was started as a process for speech, answers the messages on standard input, and exits when
    /// standard input is closed. Does nothing in any other process.
    ///
    /// The process loads its models. On Linux, the process then gives up the permissions to access files, to access the
    /// network and to start programs. It also exits when it uses more memory than its limit. Other systems have none of
    /// these protections.
    static func runIfRequested() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.first == argument, let role = SpeechRole(arguments: arguments) else { return }
        #if !canImport(Glibc)
            godwit_close_inherited_files()
        #endif
        _ = nice(niceness)
        godwit_watch_memory(role.memoryBytesMax)
        let channel = WorkerChannel(file: 0, bytesMax: SpeechLimits.messageBytesMax)
        switch role.work {
        case .speaking(let voice): speak(voice, role, channel)
        case .recognition(let model): recognise(model, channel)
        }
        exit(0)
    }

    private static func answer(_ channel: WorkerChannel, _ respond: ([UInt8]) -> [UInt8]) {
        while let message = try? channel.read(until: WorkerChannel.never) {
            guard (try? channel.write(respond(message), until: WorkerChannel.never)) != nil else { return }
        }
    }

    /// Answers each text with the byte 1 and a file, or with the byte 0 and a message about a failure.
    private static func speak(_ voice: String, _ role: SpeechRole, _ channel: WorkerChannel) {
        #if canImport(CEspeak)
            guard let engine = EspeakEngine(voice: voice) else {
                return answer(channel) { _ in failure("espeak-ng or its voice \(voice) is not installed.") }
            }
            // The library reads some of its data when it speaks the first text.
            _ = engine.samples(of: "a", secondsMax: 1)
            let isConfined = godwit_confine() == 0
            answer(channel) { message in
                guard isConfined, let order = try? JSONDecoder().decode(SpokenText.self, from: Data(message)) else {
                    return failure(unconfined)
                }
                let samples = engine.samples(of: order.text, secondsMax: role.secondsMax)
                switch order.format {
                case .wav: return [1] + WaveFile.file(of: samples, rate: engine.rate)
                case .ogg:
                    let resampler = Resampler(from: engine.rate, to: OpusFile.rate)
                    let resampled = resampler.add(samples) + resampler.finish()
                    return OpusFile.file(of: resampled).map { [1] + $0 } ?? failure("Opus does not work.")
                }
            }
        #else
            answer(channel) { _ in failure("This system has no espeak-ng.") }
        #endif
    }

    /// Answers each message about audio with the new hypotheses.
    private static func recognise(_ model: String?, _ channel: WorkerChannel) {
        #if canImport(CPocketSphinx)
            guard var engine = SphinxEngine(languageModel: model) else {
                return answer(channel) { _ in
                    failure("The models of pocketsphinx cannot be read. Install pocketsphinx-en-us.")
                }
            }
            let isConfined = godwit_confine() == 0
            var reader: SampleReader?
            var resampler = Resampler(from: SphinxEngine.rate, to: SphinxEngine.rate)
            while let message = try? channel.read(until: WorkerChannel.never) {
                var found: [Hypothesis] = []
                switch RecognitionMessage(message) {
                case .begin(let form)?:
                    reader = SampleReader(form)
                    resampler = Resampler(from: form.rate, to: SphinxEngine.rate)
                    engine.begin()
                case .audio(let bytes)?:
                    if let samples = reader?.samples(of: bytes) { found = engine.add(resampler.add(samples)) }
                case .finish?:
                    found = engine.add(resampler.finish()) + engine.finish()
                    reader = nil
                case nil: return
                }
                let answer =
                    isConfined
                    ? [1] + ((try? JSONEncoder().encode(found)).map(Array.init) ?? []) : failure(unconfined)
                guard (try? channel.write(answer, until: WorkerChannel.never)) != nil else { return }
            }
        #else
            answer(channel) { _ in failure("This system has no pocketsphinx.") }
        #endif
    }

    private static func failure(_ message: String) -> [UInt8] { [0] + Array(message.utf8) }

    private static let unconfined =
        "Speech cannot be processed: this system does not allow the confinement of the process for it."
}

/// A text for a process that speaks.
struct SpokenText: Codable {
    var text: String
    var format: SpeechFormat
}

/// A message for a process that recognizes speech. A byte with the kind of the message precedes its content.
enum RecognitionMessage {
    case begin(AudioForm)
    case audio([UInt8])
    case finish

    var bytes: [UInt8] {
        switch self {
        case .begin(let form): [0] + ((try? JSONEncoder().encode(form)).map(Array.init) ?? [])
        case .audio(let bytes): [1] + bytes
        case .finish: [2]
        }
    }

    init?(_ bytes: [UInt8]) {
        let content = bytes.dropFirst()
        switch bytes.first {
        case 0:
            guard let form = try? JSONDecoder().decode(AudioForm.self, from: Data(content)) else { return nil }
            self = .begin(form)
        case 1: self = .audio(Array(content))
        case 2: self = .finish
        default: return nil
        }
    }
}

/// The task of a process, which its arguments describe.
struct SpeechRole: Equatable {
    enum Work: Equatable {
        /// Speaks with a voice of the engine.
        case speaking(String)
        /// Recognizes with a language model; `nil` for the general one.
        case recognition(String?)
    }

    let work: Work
    let memoryBytesMax: Int
    /// The maximum duration of a spoken text, in seconds.
    let secondsMax: Double

    init(_ work: Work, _ limits: SpeechLimits) {
        (self.work, memoryBytesMax) = (work, limits.memoryBytesMax)
        // To speak a character takes about 0.07 s, so an eighth of a second for each character is sufficient.
        secondsMax = Double(limits.textLengthMax) / 8
    }

    var arguments: [String] {
        let (name, value) =
            switch work {
            case .speaking(let voice): ("speak", voice)
            case .recognition(let model): ("recognise", model ?? "")
            }
        return [SpeechWorker.argument, name, value, String(memoryBytesMax), String(secondsMax)]
    }

    init?(arguments: [String]) {
        guard arguments.count == 5, let memory = Int(arguments[3]), let seconds = Double(arguments[4]) else {
            return nil
        }
        switch arguments[1] {
        case "speak": work = .speaking(arguments[2])
        case "recognise": work = .recognition(arguments[2].isEmpty ? nil : arguments[2])
        default: return nil
        }
        (memoryBytesMax, secondsMax) = (memory, seconds)
    }
}

extension SpeechLimits {
    /// The maximum length of a message to a process.
    static let messageBytesMax = audioPieceBytesMax + (64 << 10)
}
