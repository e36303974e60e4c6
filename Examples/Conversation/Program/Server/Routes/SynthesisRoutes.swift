//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitServer
import HTTPTypes

/// Spoken texts.
struct SynthesisRoutes: Sendable {
    let speech: any SpeechSynthesizer

    var routes: [Route] {
        [
            Route(.get, "/synthesize", access: .anyone, handler: synthesize),
            Route(.get, "/voices", access: .anyone, work: .light, handler: voices),
        ]
    }

    @Sendable private func synthesize(_ context: RequestContext) async throws {
        let target = context.request.target
        guard let text = target.value("text"), !text.isEmpty else {
            throw HTTPFailure(.badRequest, "bad_request", "The parameter text is missing.")
        }
        let format = Self.format(target.value("accept"), context.request.header(.userAgent) ?? "")
        let file: [UInt8]
        do {
            file = try await speech.speech(text, voice: target.value("voice"), as: format, for: context.workOwner)
        } catch {
            throw HTTPFailure(error)
        }
        let isDownload = target.value("download").map { $0 != "false" } ?? false
        try await context.response.send(
            contentType: format.mediaType,
            headers: [
                .contentDisposition: "\(isDownload ? "attachment" : "inline"); filename=transcript.\(format.rawValue)",
                .cacheControl: "private, max-age=3600", .xContentTypeOptions: "nosniff",
            ], body: file)
    }

    /// Returns the format that the client requests. If the client requests none, returns a format that its browser can
    /// play.
    private static func format(_ accepted: String?, _ browser: String) -> SpeechFormat {
        if let accepted { return accepted.lowercased().contains("wav") ? .wav : .ogg }
        let isChrome = browser.contains("Chrome") && !browser.contains("Android")
        return isChrome || browser.contains("Firefox") || browser.contains("OPR") || browser.contains("Opera")
            ? .ogg : .wav
    }

    @Sendable private func voices(_ context: RequestContext) async throws {
        let voices = speech.voices.map { voice -> JSONValue in
            ["name": .string(voice.name), "language": .string(voice.language)]
        }
        try await context.response.sendJSON(body: JSONValue.object(["voices": .array(voices)]).jsonBytes())
    }
}
