//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Foundation

/// The options of speech.
struct SpeechOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The directory of a language model for speech, which Examples/Conversation/Training/speech.py makes of a corpus. Without it a general one of English is used.",
            valueName: "directory"))
    var speechModel: String?

    @Option(
        help: "The maximum number of processes that recognise speech. (default: the number of cores - 1, at least 1)")
    var recognitionsMax: Int?

    @Option(help: "The maximum duration of a recording, in seconds. (default: 60)")
    var recordingSecondsMax: Double?

    func validate() throws {
        if let recordingSecondsMax, !(1...3_600 ~= recordingSecondsMax) {
            throw ValidationError("--recording-seconds-max must be between 1 and 3600.")
        }
        if let recognitionsMax, !(1...64 ~= recognitionsMax) {
            throw ValidationError("--recognitions-max must be between 1 and 64.")
        }
        if let speechModel, !FileManager.default.fileExists(atPath: "\(speechModel)/corpus.dict") {
            throw ValidationError(
                "\(speechModel) has no corpus.dict. Examples/Conversation/Training/speech.py makes it.")
        }
    }

    func workers() -> SpeechWorkers {
        var limits = SpeechLimits()
        if let recognitionsMax { limits.recognitionsMax = recognitionsMax }
        if let recordingSecondsMax { limits.audioSecondsMax = recordingSecondsMax }
        return SpeechWorkers(languageModel: speechModel, limits: limits)
    }
}
