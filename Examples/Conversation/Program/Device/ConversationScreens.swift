//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConversationCore
import DeviceKit
import GodwitDatabase
import ProgramKit

/// The screens of Conversation on a device, for a browser.
struct ConversationScreens: DeviceApp {
    /// See ``DeviceApp/name``.
    let name = "conversation"
    /// See ``DeviceApp/files``.
    let files = EmbeddedFiles.conversation
    /// The path at which the browser sends the parts of a recording.
    let filePath = "/sound"
    /// The maximum length of a part of a recording, in bytes.
    let fileBytesMax = 256 << 10

    private static let pageLimit = 30
    private static let pageMax = 200
    private static let topicsMax = 100

    private let model: ConversationModel
    private let speech: any SpeechSynthesizer
    private let recordings: Recordings

    /// Creates the screens of an app.
    ///
    /// - Parameters:
    ///   - model: The app, after ``ConversationModel/start()``.
    ///   - speech: The service that speaks texts and recognizes speech.
    init(_ model: ConversationModel, speech: any SpeechSynthesizer & SpeechRecognizer) {
        (self.model, self.speech, recordings) = (model, speech, Recordings(speech))
    }

    /// See ``DeviceApp/state()``.
    func state() async -> JSONValue { await model.screens() }

    /// See ``DeviceApp/changes()``.
    func changes() -> AsyncStream<Void> { .changes { [model] in _ = model.screens() } }

    /// See ``DeviceApp/content(_:_:)``.
    func content(_ path: String, _ query: [String: String]) async throws(DeviceError) -> DeviceContent? {
        switch path {
        case "/history":
            let limit = min(max(query["limit"].flatMap { Int($0) } ?? Self.pageLimit, 1), Self.pageMax)
            let page = try await model.history(before: query["before"].flatMap { Int64($0) }, limit: limit)
            return DeviceContent(["questions": .array(page.map(\.json))])
        case "/topics": return DeviceContent(try await model.topics(beginning: query["prefix"] ?? ""))
        case "/speech":
            let format = SpeechFormat(rawValue: query["format"] ?? "") ?? .wav
            do throws(SpeechError) {
                let file = try await speech.speech(
                    query["text"] ?? "", voice: query["voice"], as: format, for: "device")
                return DeviceContent(type: format.mediaType, bytes: file)
            } catch {
                throw DeviceError(error)
            }
        default: return nil
        }
    }

    /// Recognizes a part of a recording: 16-bit samples at a rate of 16 000 per second.
    ///
    /// - Parameter query: The parameters. `recording` is an id that the page chooses. `end` is present with the last
    ///   part.
    /// - Returns: An object with the member `results`, which contains the new hypotheses.
    func receive(_ file: [UInt8], _ query: [String: String]) async throws(DeviceError) -> JSONObject {
        guard let id = query["recording"], 8...64 ~= id.count else {
            throw DeviceError(.input, "The recording needs an id of 8 to 64 characters.")
        }
        do throws(SpeechError) {
            let found = try await recordings.add(file, to: id, isLast: query["end"] != nil)
            return [
                "results": .array(
                    found.map { ["transcript": .string($0.transcript), "isFinal": .bool($0.isFinal)] })
            ]
        } catch {
            throw DeviceError(error)
        }
    }

    /// See ``DeviceApp/perform(_:_:)``.
    func perform(_ action: String, _ arguments: JSONObject) async throws(DeviceError) -> JSONObject {
        switch action {
        case "unlock": try await model.unlock(try arguments.text("passphrase"))
        case "register", "signIn":
            try await model.signIn(
                try arguments.text("name"), password: try arguments.text("password"), registering: action == "register")
        case "later": try await model.signInLater()
        case "welcome": try await model.showSignIn()
        case "signOut": try await model.signOut()
        case "ask":
            let asked = try await model.ask(
                try arguments.text("question"), isSpoken: arguments["isSpoken"]?.boolValue ?? false)
            return ["question": asked.json]
        case "remove": try await model.remove(try arguments.text("id"))
        case "select":
            try await model.select(
                CorpusSelection(
                    sources: Self.names(arguments["sources"]), topics: Self.names(arguments["topics"])))
        default: throw DeviceError(.notFound, "There is no action \(action).")
        }
        return [:]
    }

    private static func names(_ value: JSONValue?) -> [String] { (value?.arrayValue ?? []).compactMap(\.stringValue) }
}

extension DeviceError {
    fileprivate init(_ error: SpeechError) {
        let code: Code =
            switch error.code {
            case .input: .input
            case .tooLong, .tooCostly: .tooLarge
            case .unavailable: .unsupported
            }
        self.init(code, error.message, cause: error)
    }
}

/// The recording that is being recognized. When a new recording begins, the previous recording ends.
private actor Recordings {
    /// If no part of a recording arrives for this time, in seconds, the recording ends.
    private static let silenceSecondsMax = 10

    private let recognizer: any SpeechRecognizer
    private var current: (id: String, session: any RecognitionSession)?
    private var timeout: Task<Void, Never>?

    init(_ recognizer: any SpeechRecognizer) { self.recognizer = recognizer }

    func add(_ audio: [UInt8], to id: String, isLast: Bool) async throws(SpeechError) -> [Hypothesis] {
        let session = try await session(id)
        timeout?.cancel()
        var found = try await session.add(audio)
        if isLast {
            found += try await session.finish()
            end(id)
        } else {
            timeout = Task { [weak self] in
                guard (try? await Task.sleep(for: .seconds(Self.silenceSecondsMax))) != nil else { return }
                await self?.end(id)
            }
        }
        return found
    }

    private func session(_ id: String) async throws(SpeechError) -> any RecognitionSession {
        if let current, current.id == id { return current.session }
        current?.session.end()
        current = nil
        let session = try await recognizer.session(AudioForm(rate: 16_000), for: "device")
        current = (id, session)
        return session
    }

    private func end(_ id: String) {
        guard let ended = current, ended.id == id else { return }
        ended.session.end()
        current = nil
    }
}

extension ConversationModel {
    /// Returns the state of the screens as JSON.
    fileprivate func screens() -> JSONValue {
        let text = { (value: String?) in value.map { JSONValue.string($0) } ?? .null }
        return [
            "stage": .string(stage.rawValue), "user": text(user), "server": .string(server), "busy": text(busy),
            "logins": [["id": "password", "kind": "password", "title": "password"]], "challenge": .null,
            "loginFailure": .null, "historyVersion": .integer(Int64(historyVersion)),
            "corpusCount": .integer(Int64(corpusCount)), "isCorpusReady": .bool(isCorpusReady),
            "isCorpusComplete": .bool(isCorpusComplete), "selection": selection.json, "isSent": .bool(isSent),
            "trouble": text(trouble), "notice": notice?.screen ?? .null,
        ]
    }
}
