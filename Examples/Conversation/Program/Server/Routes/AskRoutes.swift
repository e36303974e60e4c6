//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConversationCore
import GodwitJSON
import GodwitServer
import HTTPTypes

/// Questions and their answers: the HTML of the web application of 2015, and the JSON of the app's server.
struct AskRoutes: Sendable {
    let state: CorpusState

    /// The maximum length of a form with a question, in bytes.
    private static let formBytesMax = 16 << 10
    private static let limitUsual = 5
    private static let limitMax = 25
    private static let topicsMax = 20

    var routes: [Route] {
        [
            Route(.get, "/ask", access: .anyone, handler: json),
            Route(.post, "/ask", access: .anyone, posts: .any, handler: html),
            Route(.get, "/topics", access: .anyone, handler: topics),
        ]
    }

    /// Sends `{"answers": [{"text", "value"}]}`. If there is no answer, sends the nearest topics, or `{}` without one.
    @Sendable private func json(_ context: RequestContext) async throws {
        let target = context.request.target
        guard let question = target.value("query"), !question.isEmpty else {
            return try await context.response.send(
                .internalServerError, contentType: "text/plain; charset=utf-8", body: Array("Bad Query".utf8))
        }
        let limit = min(max(target.value("limit").flatMap { Int($0) } ?? Self.limitUsual, 1), Self.limitMax)
        let (answers, explanation) = try await state.answers(to: question, limit: limit)
        let explains = target.value("explain") == "true"
        var body = JSONObject()
        if !answers.isEmpty { body["answers"] = .array(answers.map { $0.json(explains: explains) }) }
        let topics = explanation.nearestTopics
        if !topics.isEmpty { body["topics"] = .array(topics.map { .string($0) }) }
        if explains { body["explain"] = explanation.json }
        try await context.response.sendJSON(
            headers: [.cacheControl: "no-cache"], body: JSONValue.object(body).jsonBytes())
    }

    /// Sends the answers as a part of a page.
    @Sendable private func html(_ context: RequestContext) async throws {
        let body = try await context.request.collectBody(bytesMax: Self.formBytesMax)
        let type = context.request.header(.contentType)?.lowercased() ?? ""
        let question =
            type.hasPrefix("application/json")
            ? (try? JSONValue(parsing: body))?["questionText"]?.stringValue
            : try RequestTarget(form: body).value("questionText")
        guard let question, !question.isEmpty else {
            throw HTTPFailure(.badRequest, "bad_request", "The form needs questionText, a question.")
        }
        let (answers, explanation) = try await state.answers(to: question, limit: Self.limitUsual)
        try await context.response.send(
            contentType: "text/html; charset=utf-8",
            headers: [.cacheControl: "no-cache", .xContentTypeOptions: "nosniff"],
            body: Array(AnswersHTML(answers: answers, topics: explanation.nearestTopics).html.utf8))
    }

    /// Sends the names of the sources, and of the topics that begin with a text. With these names, a user selects a
    /// part of the corpus.
    @Sendable private func topics(_ context: RequestContext) async throws {
        let prefix = context.request.target.value("prefix") ?? ""
        let list = try await CorpusTopics(state.datastore()).list(beginning: prefix, limit: Self.topicsMax)
        try await context.response.sendJSON(headers: [.cacheControl: "no-cache"], body: list.jsonBytes())
    }
}

extension AnswerEngine.Answer {
    fileprivate func json(explains: Bool) -> JSONValue {
        var members: JSONObject = [
            "text": .string(passage), "value": .double(confidence), "id": .string(pair.id),
            "question": .string(pair.question), "source": .string(pair.source), "url": .string(pair.url),
        ]
        if explains {
            members["features"] = .object(
                features.reduce(into: JSONObject()) { $0[$1.name] = .double($1.value) })
        }
        return .object(members)
    }
}

extension AnswerEngine.Explanation {
    fileprivate var json: JSONValue {
        [
            "words": .array(words.map { ["asked": .string($0.asked), "used": .string($0.used)] }),
            "topic": .array(topic.map { .string($0) }),
            "kinds": .object(
                kinds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.reduce(into: JSONObject()) {
                    $0[$1.key] = .double($1.value)
                }),
            "candidates": .integer(Int64(candidateCount)), "confidence": .double(confidence),
            "confidenceMin": .double(confidenceMin),
        ]
    }
}
