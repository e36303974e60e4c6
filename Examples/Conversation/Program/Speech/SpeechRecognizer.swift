//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Recognizes spoken sentences. ``SpeechWorkers`` is an implementation; an app on a phone can use the system's
/// recognizer.
protocol SpeechRecognizer: Sendable {
    /// Waits for the turn of the owner, and begins a session.
    ///
    /// - Parameters:
    ///   - form: The form of the audio.
    ///   - owner: The owner of the session, such as an address. The owners take turns.
    /// - Throws: ``SpeechError`` with code `unavailable` if too many sessions wait, if the task was cancelled while it
    ///   waited, or if the recognizer cannot be started.
    func session(_ form: AudioForm, for owner: String) async throws(SpeechError) -> any RecognitionSession
}

/// The recognition of one stream of audio. Only one task may use a session.
protocol RecognitionSession: Sendable {
    /// Adds audio.
    ///
    /// - Returns: The new hypotheses, the newest last.
    /// - Throws: ``SpeechError``, with code `tooLong` if the audio of the session is longer than the limit. After an
    ///   error, the session has ended.
    func add(_ audio: [UInt8]) async throws(SpeechError) -> [Hypothesis]

    /// Ends the audio.
    ///
    /// - Returns: The last hypotheses.
    func finish() async throws(SpeechError) -> [Hypothesis]

    /// Ends the session and releases its process. Call it also after ``finish()``. Does nothing if the session has
    /// ended.
    func end()
}

/// Words that were recognized. The hypotheses of a sentence end with a final hypothesis. Each hypothesis replaces the
/// earlier hypotheses of the same sentence.
struct Hypothesis: Codable, Equatable, Sendable {
    /// The words.
    var transcript: String
    /// The estimated probability of the words, from 0 to 1. It is 0 if the hypothesis is not final.
    var confidence: Double
    /// Whether the sentence has ended.
    var isFinal: Bool

    /// Creates a hypothesis.
    init(transcript: String, confidence: Double, isFinal: Bool) {
        (self.transcript, self.confidence, self.isFinal) = (transcript, confidence, isFinal)
    }
}
