//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitServer
import HTTPTypes

/// Recognition of recordings, of the page's spoken examples (`sample1.wav`), and of live speech.
struct RecognitionRoutes: Sendable {
    let speech: SpeechWorkers
    let examples: ExampleQuestions

    /// The maximum length of a recording, in bytes: about a minute with two channels and 48 000 samples per second.
    private static let recordingBytesMax = 12 << 20
    private static let formBytesMax = 16 << 10
    /// The form that is assumed for audio that is sent without a media type.
    private static let typeUsual = "audio/l16; rate=16000; channels=1"

    var routes: [Route] {
        [
            Route(.post, "/", access: .anyone, posts: .any, handler: sample),
            Route(.post, "/transcribe", access: .anyone, posts: .any, handler: transcribe),
            Route(.get, "/audio/{name}", access: .anyone, handler: audio),
            Route(.get, "/speech/socket", access: .anyone, handler: SpeechSocket(recognizer: speech).serve),
        ]
    }

    // MARK: Recordings

    /// Recognizes a WAVE file, or samples without the header of a file. The body of the request is either the audio
    /// itself, or a form with the audio as a file. Sends `{"transcript", "confidence"}`, or `{}` if no words are
    /// recognized.
    @Sendable private func transcribe(_ context: RequestContext) async throws {
        let request = context.request
        var (type, bytes): (String, [UInt8])
        if request.isForm {
            let fields = try await request.collectForm(bytesMax: Self.recordingBytesMax)
            guard let file = fields.first(where: { $0.filename != nil }) ?? fields.first else {
                throw HTTPFailure(.badRequest, "bad_request", "The form needs a file with audio.")
            }
            (type, bytes) = (file.contentType ?? Self.typeUsual, file.bytes)
        } else {
            type = request.header(.contentType) ?? Self.typeUsual
            bytes = try await request.collectBody(bytesMax: Self.recordingBytesMax)
        }
        let answer = try await recognise(bytes, type, for: context.workOwner)
        try await context.response.sendJSON(body: answer.jsonBytes())
    }

    private func recognise(_ bytes: [UInt8], _ type: String, for owner: String) async throws -> JSONValue {
        do {
            var (form, start) = (AudioForm?.none, 0)
            if bytes.starts(with: Array("RIFF".utf8)) {
                guard let file = try WaveFile.samples(in: bytes) else {
                    throw SpeechError(.input, "The WAVE file ends too early.")
                }
                (form, start) = (file.form, file.start)
            } else {
                form = try AudioForm(mediaType: type)
            }
            guard let form else {
                throw HTTPFailure(
                    .unsupportedMediaType, "bad_content_type",
                    "The audio must be a WAVE file, or samples with the type audio/l16; rate=16000.")
            }
            let session = try await speech.session(form, for: owner)
            defer { session.end() }
            let found = try await session.add(Array(bytes[start...])) + session.finish()
            let sentences = found.filter(\.isFinal)
            guard !sentences.isEmpty else { return [:] }
            return [
                "transcript": .string(sentences.map(\.transcript).joined(separator: " ")),
                "confidence": .double(sentences.reduce(0) { $0 + $1.confidence } / Double(sentences.count)),
            ]
        } catch let error as SpeechError {
            throw HTTPFailure(error)
        }
    }

    // MARK: Samples

    /// Recognizes a sample of the page. The body of the request names the sample: `{"url": "audio/sample1.wav"}`.
    @Sendable private func sample(_ context: RequestContext) async throws {
        let body = try await context.request.collectBody(bytesMax: Self.formBytesMax)
        let type = context.request.header(.contentType)?.lowercased() ?? ""
        let url =
            type.hasPrefix("application/json")
            ? (try? JSONValue(parsing: body))?["url"]?.stringValue : try RequestTarget(form: body).value("url")
        let prefix = "audio/"
        guard let url, url.hasPrefix(prefix),
            let question = examples.question(ofSample: String(url.dropFirst(prefix.count)))
        else {
            let failure: JSONValue = ["error": "Malformed URL"]
            return try await context.response.sendJSON(.internalServerError, body: failure.jsonBytes())
        }
        let file = try await spoken(question, for: context.workOwner)
        let answer = try await recognise(file, "audio/wav", for: context.workOwner)
        try await context.response.sendJSON(body: answer.jsonBytes())
    }

    /// Sends a sample of the page: a spoken example question.
    @Sendable private func audio(_ context: RequestContext) async throws {
        guard let question = examples.question(ofSample: context.request.parameter("name")) else {
            throw HTTPFailure(.notFound, "not_found", "There is no such sample.")
        }
        let file = try await spoken(question, for: context.workOwner)
        try await context.response.send(
            contentType: SpeechFormat.wav.mediaType, headers: [.cacheControl: "private, max-age=3600"], body: file)
    }

    private func spoken(_ question: String, for owner: String) async throws(HTTPFailure) -> [UInt8] {
        do throws(SpeechError) {
            return try await speech.speech(question, voice: nil, as: .wav, for: owner)
        } catch {
            throw HTTPFailure(error)
        }
    }
}
