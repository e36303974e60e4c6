//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitServer
import HTTPTypes

/// Live recognition over a WebSocket.
///
/// The client sends samples as binary messages, or as `{"event": "message", "data": {"audio": BASE64, "rate": 48000}}`;
/// the first message begins the recognition. The message `{"event": "message", "data": {"disconnect": true}}` ends the
/// recognition. The number of samples per second is the `rate` in the first message. If this message is binary or has
/// no `rate`, it is the parameter `rate` of the URL, by default 48 000. The server sends `session`, `message` with
/// results, `state` and `onerror`.
struct SpeechSocket: Sendable {
    let recognizer: any SpeechRecognizer

    private static let rateUsual = 48_000
    /// The maximum time without a message from the client, in seconds.
    private static let silenceSecondsMax = 10
    /// The maximum time, in seconds, for which a client waits until its recognition can begin.
    private static let waitSecondsMax = 30

    func serve(_ context: RequestContext) async throws {
        guard isFromHere(context.request) else {
            throw HTTPFailure(.forbidden, "forbidden", "Another page may not use this WebSocket.")
        }
        let rate = context.request.target.value("rate").flatMap { Int($0) } ?? Self.rateUsual
        let inbox = WebSocketInbox()
        try await context.response.beginWebSocket(context.request, receiving: inbox)
        let socket = Connection(context.response)
        try await socket.send("session", .string(UUID().uuidString.lowercased()))
        do throws(SpeechError) {
            try await recognise(inbox, socket, rate, context.workOwner)
        } catch {
            try await socket.send("onerror", ["error": .string(error.message), "code": .string(error.code.rawValue)])
        }
        try await context.response.finish()
    }

    /// Whether the request was sent by a page of this server, or by a client that is not a browser.
    private func isFromHere(_ request: ServerRequest) -> Bool {
        guard let origin = request.header(.origin), let host = try? request.host else { return true }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    private func recognise(
        _ inbox: WebSocketInbox, _ socket: Connection, _ rate: Int, _ owner: String
    ) async throws(SpeechError) {
        guard case .audio(let audio, let messageRate)? = try await Self.next(inbox) else { return }
        let form = try AudioForm(rate: messageRate ?? rate)
        await socket.tell("waiting")
        let session = try await session(form, owner)
        defer { session.end() }
        await socket.tell("listening")
        var piece = audio
        while true {
            await socket.tell(try await session.add(piece))
            guard case .audio(let next, _)? = try await Self.next(inbox) else { break }
            piece = next
        }
        await socket.tell(try await session.finish())
    }

    private func session(_ form: AudioForm, _ owner: String) async throws(SpeechError) -> any RecognitionSession {
        let result = await Self.limited(Self.waitSecondsMax) { () -> Result<any RecognitionSession, SpeechError> in
            do throws(SpeechError) {
                return .success(try await recognizer.session(form, for: owner))
            } catch {
                return .failure(error)
            }
        }
        guard let result else { throw SpeechError(.unavailable, "The recognition is busy. Try again later.") }
        return try result.get()
    }

    private enum Message {
        case audio([UInt8], rate: Int?)
        case disconnect
    }

    /// Returns the next message; `nil` when the client has left.
    private static func next(_ inbox: WebSocketInbox) async throws(SpeechError) -> Message? {
        guard let received = await limited(silenceSecondsMax, { await inbox.next() }) else {
            throw SpeechError(.input, "No audio came for \(silenceSecondsMax) s. Begin a new recognition.")
        }
        switch received {
        case nil: return nil
        case .binary(let bytes): return .audio(bytes, rate: nil)
        case .text(let text): return try message(text)
        }
    }

    private static func message(_ text: String) throws(SpeechError) -> Message {
        let value = try? JSONValue(parsing: Array(text.utf8))
        let data = value?["data"]
        if value?["event"]?.stringValue == "disconnect" || data?["disconnect"]?.boolValue == true { return .disconnect }
        guard value?["event"]?.stringValue == "message", let audio = data?["audio"]?.stringValue,
            let bytes = Data(base64Encoded: audio)
        else { throw SpeechError(.input, "A message needs audio: 16-bit samples in Base64.") }
        return .audio([UInt8](bytes), rate: data?["rate"]?.intValue.map { Int($0) })
    }

    /// Returns the result of a function; `nil` if the function takes longer than `seconds` seconds.
    private static func limited<Result: Sendable>(
        _ seconds: Int, _ body: @escaping @Sendable () async -> Result
    ) async -> Result? {
        await withTaskGroup(of: Result?.self) { group in
            group.addTask { await body() }
            group.addTask {
                try? await Task.sleep(for: .seconds(seconds))
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}

/// The messages to the client.
private struct Connection {
    private let response: ServerResponse

    init(_ response: ServerResponse) { self.response = response }

    func send(_ event: String, _ data: JSONValue) async throws {
        let message: JSONValue = ["event": .string(event), "data": data]
        try await response.write(message.jsonBytes())
        try await response.flush()
    }

    /// Sends a state: `waiting` or `listening`. Errors are ignored, because the inbox notices when the client has left.
    func tell(_ state: String) async { try? await send("state", .string(state)) }

    /// Sends hypotheses in the form of Watson Speech to Text.
    func tell(_ hypotheses: [Hypothesis]) async {
        for hypothesis in hypotheses {
            var alternative: JSONObject = ["transcript": .string(hypothesis.transcript)]
            if hypothesis.isFinal { alternative["confidence"] = .double(hypothesis.confidence) }
            let result: JSONValue = [
                "alternatives": [.object(alternative)], "final": .bool(hypothesis.isFinal),
            ]
            try? await send("message", ["results": [result], "result_index": 0])
        }
    }
}
