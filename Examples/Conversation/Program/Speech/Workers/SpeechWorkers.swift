//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CWorker
import Dispatch
import ProgramKit
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Speaks with espeak-ng and recognizes with pocketsphinx, in processes with a low priority.
///
/// On Linux, the processes have no access to files, to the network or to other processes. A process is ended when it
/// uses too much time. On Linux, it is also ended when it uses too much memory. After a request, a process remains for
/// the next request. Only English is recognized, but there are voices for several languages.
///
/// ```swift
/// let speech = SpeechWorkers()
/// let file = try await speech.speech("Septum pellucidum", voice: nil, as: .ogg, for: "me")
/// let session = try await speech.session(AudioForm(rate: 16_000), for: "me")
/// ```
final class SpeechWorkers: SpeechSynthesizer, SpeechRecognizer {
    /// See ``SpeechSynthesizer/voices``.
    var voices: [SpeechVoice] { SpeechVoice.espeak }

    private let limits: SpeechLimits
    private let languageModel: String?
    private let speaking: SpeechPool
    private let recognising: SpeechPool

    /// Creates an object without processes. Processes are started when they are needed.
    ///
    /// - Parameters:
    ///   - languageModel: The directory of the language model of a corpus; `nil` for a general one.
    ///   - limits: The limits.
    init(languageModel: String? = nil, limits: SpeechLimits = SpeechLimits()) {
        (self.languageModel, self.limits) = (languageModel, limits)
        speaking = SpeechPool(limits.synthesesMax, limits)
        recognising = SpeechPool(limits.recognitionsMax, limits)
    }

    /// See ``SpeechSynthesizer/speech(_:voice:as:for:)``.
    func speech(
        _ text: String, voice: String?, as format: SpeechFormat, for owner: String
    ) async throws(SpeechError) -> [UInt8] {
        guard let voice = voice.map({ name in voices.first { $0.name == name } }) ?? voices.first else {
            throw SpeechError(.input, "There is no such voice. GET /voices returns the names.")
        }
        guard text.unicodeScalars.count <= limits.textLengthMax else {
            throw SpeechError(
                .tooLong, "The text has more than \(limits.textLengthMax) characters. Speak it in parts.")
        }
        let order = SpokenText(text: text.replacing("\0", with: " "), format: format)
        let worker = try await speaking.worker(SpeechRole(.speaking(voice.engineName), limits), for: owner)
        defer { speaking.release(worker) }
        return try await worker.answer((try? JSONEncoder().encode(order)).map(Array.init) ?? [])
    }

    /// See ``SpeechRecognizer/session(_:for:)``.
    func session(
        _ form: AudioForm, for owner: String
    ) async throws(SpeechError) -> any RecognitionSession {
        let worker = try await recognising.worker(SpeechRole(.recognition(languageModel), limits), for: owner)
        do throws(SpeechError) {
            _ = try await worker.hypotheses(.begin(form))
        } catch {
            recognising.release(worker)
            throw error
        }
        return WorkerSession(worker, form, limits) { [recognising] in recognising.release(worker) }
    }
}

/// A session of a process.
private final class WorkerSession: RecognitionSession {
    private let worker: RunningWorker
    private let bytesMax: Int
    private let secondsMax: Double
    private let deadline: ContinuousClock.Instant
    private let release: @Sendable () -> Void
    private let state = Mutex((byteCount: 0, isOver: false))

    init(_ worker: RunningWorker, _ form: AudioForm, _ limits: SpeechLimits, release: @escaping @Sendable () -> Void) {
        (self.worker, self.release, secondsMax) = (worker, release, limits.audioSecondsMax)
        deadline = .now + .seconds(2 * limits.audioSecondsMax)
        bytesMax = Int(limits.audioSecondsMax * Double(form.bytesPerSecond))
    }

    deinit { end() }

    func add(_ audio: [UInt8]) async throws(SpeechError) -> [Hypothesis] {
        var (found, start) = ([Hypothesis](), 0)
        // Without this limit, a client that sends a sample now and then could occupy the process forever.
        guard ContinuousClock.now < deadline else {
            end()
            throw SpeechError(.tooLong, "The recognition took too long. Send the audio as it is recorded.")
        }
        while start < audio.count {
            // If the client has left, the task is cancelled.
            guard !Task.isCancelled else {
                end()
                throw SpeechError(.unavailable, "The request was cancelled.")
            }
            let piece = Array(audio[start..<min(start + SpeechLimits.audioPieceBytesMax, audio.count)])
            start += piece.count
            let count = state.withLock { state in
                state.byteCount += piece.count
                return state.byteCount
            }
            guard count <= bytesMax else {
                end()
                throw SpeechError(
                    .tooLong, "A recording may have at most \(Int(secondsMax)) seconds. Send it in shorter parts.")
            }
            found += try await hypotheses(.audio(piece))
        }
        return found
    }

    func finish() async throws(SpeechError) -> [Hypothesis] { try await hypotheses(.finish) }

    private func hypotheses(_ message: RecognitionMessage) async throws(SpeechError) -> [Hypothesis] {
        guard !state.withLock({ $0.isOver }) else { throw SpeechError(.input, "The session has ended.") }
        do throws(SpeechError) {
            return try await worker.hypotheses(message)
        } catch {
            end()
            throw error
        }
    }

    func end() {
        let wasOver = state.withLock { state in
            defer { state.isOver = true }
            return state.isOver
        }
        if !wasOver { release() }
    }
}

extension RunningWorker {
    fileprivate func hypotheses(_ message: RecognitionMessage) async throws(SpeechError) -> [Hypothesis] {
        let bytes = try await answer(message.bytes)
        return (try? JSONDecoder().decode([Hypothesis].self, from: Data(bytes))) ?? []
    }
}
