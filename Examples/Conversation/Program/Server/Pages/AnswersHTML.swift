//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConversationCore
import GodwitBase

/// The answers to a question as HTML. The texts that can be spoken have the attribute `data-speech`.
struct AnswersHTML {
    let answers: [AnswerEngine.Answer]
    /// The topics that are offered if there is no answer.
    let topics: [String]

    static let noAnswer = "No answers for that question, try with another question"

    var html: String {
        guard !answers.isEmpty else { return "<div class=\"no-answer\"><p>\(Self.noAnswer)</p>\n\(nearest)</div>\n" }
        return "<ol class=\"answers\">\n\(answers.map(item).joined())</ol>\n"
    }

    /// The nearest topics, each as a link to the question about it.
    private var nearest: String {
        guard !topics.isEmpty else { return "" }
        let links = topics.map { topic in
            "<li><a href=\"/conversation?question=\("What is \(topic)?".percentEncoded)\">\(topic.markupEscaped)</a></li>"
        }
        return "<p>These topics are the nearest:</p>\n<ul class=\"topics\">\(links.joined())</ul>\n"
    }

    private func item(_ answer: AnswerEngine.Answer) -> String {
        let percent = Int((answer.confidence * 100).rounded())
        let pair = answer.pair
        let spoken = answer.passage.utf8.count <= 2_000 ? answer.passage : String(answer.passage.prefix(1_000))
        return """
            <li class="answer">
            <h2 class="answer-question">\(pair.question.markupEscaped)</h2>
            <p class="evidence" data-speech>\(answer.passage.markupEscaped)</p>
            <p class="answer-foot"><span class="confidence">Confidence: \(percent)%</span> \(source(pair))</p>
            <noscript><audio controls preload="none" src="/synthesize?text=\(spoken.percentEncoded)"></audio></noscript>
            </li>

            """
    }

    private func source(_ pair: QuestionAnswer) -> String {
        let name = (pair.source.isEmpty ? "Source" : "Source: \(pair.source)").markupEscaped
        // Only addresses of web pages become links, so that no link runs a script.
        guard pair.url.hasPrefix("https://") || pair.url.hasPrefix("http://") else {
            return pair.source.isEmpty ? "" : "<span class=\"source\">\(name)</span>"
        }
        return
            "<a class=\"source\" href=\"\(pair.url.markupEscaped)\" rel=\"noopener noreferrer\" target=\"_blank\">\(name)</a>"
    }
}
