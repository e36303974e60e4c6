//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConversationCore
import GodwitBase
import GodwitServer
import HTTPTypes
import ProgramKit

/// The pages.
struct PageRoutes: Sendable {
    let state: CorpusState
    let examples: ExampleQuestions

    private static let answersLimit = 5

    var routes: [Route] {
        [
            Route(.get, "/conversation", access: .anyone, handler: question),
            Route(.get, "/tos", access: .anyone, work: .light, handler: terms),
            Route(.get, "/conversation/files/{file}", access: .anyone, work: .light, handler: file),
        ]
    }

    private func send(_ page: WebPage, _ context: RequestContext) async throws {
        let policy = PagePolicy(media: ["'self'", "blob:"], sendsForms: true)
        try await context.response.send(
            contentType: "text/html; charset=utf-8", headers: policy.headers,
            body: Array(page.html(scriptNonce: policy.nonce).utf8))
    }

    private var texts: PageTexts { state.isEmbedded ? .health : .general }

    @Sendable private func question(_ context: RequestContext) async throws {
        let question = context.request.target.value("question") ?? ""
        var answers = ""
        if !question.isEmpty {
            do {
                let (found, explanation) = try await state.answers(to: question, limit: Self.answersLimit)
                answers = AnswersHTML(answers: found, topics: explanation.nearestTopics).html
            } catch let failure as HTTPFailure where failure.status == .serviceUnavailable {
                answers = "<p class=\"no-answer\">\(failure.reason.markupEscaped)</p>"
            }
        }
        let page = QuestionPage(question: question, answers: answers, examples: examples.all, texts: texts)
        try await send(page.page, context)
    }

    @Sendable private func terms(_ context: RequestContext) async throws {
        try await send(TermsPage(texts: texts).page, context)
    }

    @Sendable private func file(_ context: RequestContext) async throws {
        guard let file = EmbeddedFiles.conversation.file(context.request.parameter("file"), in: "web") else {
            throw HTTPFailure(.notFound, "not_found", "The pages have no such file.")
        }
        try await context.response.send(
            contentType: file.contentType, headers: PagePolicy.fileHeaders, body: file.bytes)
    }
}
