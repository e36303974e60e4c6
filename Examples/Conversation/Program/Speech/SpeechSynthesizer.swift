//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Speaks texts. ``SpeechWorkers`` is an implementation; an app on a phone can use the system's synthesizer.
protocol SpeechSynthesizer: Sendable {
    /// The voices, the usual one first.
    var voices: [SpeechVoice] { get }

    /// Waits for the turn of the owner, and speaks a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - voice: The name of a voice; `nil` for the usual one.
    ///   - format: The format of the file.
    ///   - owner: The owner of the request, such as an address. The owners take turns.
    /// - Returns: The file.
    /// - Throws: ``SpeechError`` with code `input` for an unknown voice, `tooLong` for a too long text, `tooCostly`, or
    ///   `unavailable` if too many texts wait.
    func speech(
        _ text: String, voice: String?, as format: SpeechFormat, for owner: String
    ) async throws(SpeechError) -> [UInt8]
}

/// The formats of spoken texts.
enum SpeechFormat: String, Codable, Sendable {
    /// Opus in Ogg.
    case ogg
    /// A WAVE file with 16 bits.
    case wav

    /// The media type.
    var mediaType: String {
        switch self {
        case .ogg: "audio/ogg; codecs=opus"
        case .wav: "audio/wav"
        }
    }
}

/// A voice that speaks texts.
struct SpeechVoice: Equatable, Sendable {
    /// The name, by which clients choose the voice.
    let name: String
    /// The language, such as `en-US`.
    let language: String
    /// The name of the voice in the engine.
    let engineName: String
}
