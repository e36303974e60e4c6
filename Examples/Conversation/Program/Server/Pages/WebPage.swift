//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A page with the head, the header and the footer that all pages have in common.
struct WebPage {
    let title: String
    /// The content as HTML.
    let body: String

    let texts: PageTexts

    func html(scriptNonce: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title.markupEscaped)</title>
        <link rel="icon" href="/conversation/files/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/conversation/files/microphone.css">
        <link rel="stylesheet" href="/conversation/files/conversation.css">
        <script nonce="\(scriptNonce)" src="/conversation/files/app.js" type="module"></script>
        </head>
        <body>
        <header class="bar"><a class="brand" href="/conversation"><img src="/conversation/files/icon.svg" alt="" width="30" \
        height="30">Conversation</a></header>
        <main>
        \(body)
        </main>
        <footer><p class="disclaimer">\(texts.disclaimer)</p><p><a href="/tos">Terms and sources</a></p></footer>
        </body>
        </html>

        """
    }
}

/// The page for questions. Without scripts the form loads the page again, with the answers.
struct QuestionPage {
    let question: String
    /// The answers, or a message, as HTML.
    let answers: String
    let examples: [String]
    let texts: PageTexts

    var page: WebPage {
        let examples = examples.enumerated().map { index, text in
            "<li><a class=\"example\" href=\"/conversation?question=\(text.percentEncoded)\" data-sample=\"audio/sample\(index + 1).wav\">\(text.markupEscaped)</a></li>"
        }
        let body = """
            <section class="ask" aria-labelledby="greeting">
            <h1 id="greeting">What can I help you with today?</h1>
            <form id="ask" class="ask-form" action="/conversation" method="get">
            <label class="hidden-text" for="question">Question</label>
            <input id="question" name="question" type="text" value="\(question.markupEscaped)" maxlength="500" \
            placeholder="\(texts.placeholder)" autocomplete="off" enterkeyhint="search" required>
            <button id="microphone" class="microphone" type="button" hidden></button>
            <button class="submit" type="submit">Ask</button>
            </form>
            <p id="status" class="status" role="status"></p>
            </section>
            <section id="answers" class="results" aria-live="polite">\(answers)</section>
            <section class="examples" aria-labelledby="examples-title"\(examples.isEmpty ? " hidden" : "")>
            <h2 id="examples-title">Questions to try</h2>
            <ul>\(examples.joined())</ul>
            </section>
            """
        return WebPage(
            title: question.isEmpty ? "Conversation" : "\(question) · Conversation", body: body, texts: texts
        )
    }
}

/// The terms, and the sources of the answers.
struct TermsPage {
    let texts: PageTexts

    var page: WebPage {
        WebPage(
            title: "Terms and sources · Conversation",
            body: """
                <article class="text">
                <h1>Terms and sources</h1>
                <p>\(texts.disclaimer)</p>
                <h2>Answers</h2>
                <p>The answers are quoted from the sources that they name. The confidence is an estimate of how likely the \
                quoted text answers the question, not of how likely it is true.</p>
                \(texts.sources)<h2>Your voice</h2>
                <p>This server recognises speech itself and does not store it. Questions are not stored either, unless you \
                ask them on a device with an account.</p>
                </article>
                """, texts: texts
        )
    }
}
