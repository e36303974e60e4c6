//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ExampleServices

/// The frame of the pages.
struct WebPage {
    let title: String
    /// The content as HTML.
    let body: String

    static let disclaimer = """
        Conversation quotes public information about health. It is no medical advice: ask a doctor about your health, and call         an emergency number in an emergency.
        """

    var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title.htmlEscaped)</title>
        <link rel="icon" href="/conversation/files/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/conversation/files/microphone.css">
        <link rel="stylesheet" href="/conversation/files/conversation.css">
        <script src="/conversation/files/app.js" type="module"></script>
        </head>
        <body>
        <header class="bar"><a class="brand" href="/conversation"><img src="/conversation/files/icon.svg" alt="" width="30"         height="30">Conversation</a></header>
        <main>
        \(body)
        </main>
        <footer><p class="disclaimer">\(Self.disclaimer)</p><p><a href="/tos">Terms and sources</a></p></footer>
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

    var html: String {
        let examples = ExampleQuestions.all.enumerated().map { index, text in
            "<li><a class=\"example\" href=\"/conversation?question=\(text.pathSegment)\" data-sample=\"audio/sample\(index + 1).wav\">\(text.htmlEscaped)</a></li>"
        }
        let body = """
            <section class="ask" aria-labelledby="greeting">
            <h1 id="greeting">What can I help you with today?</h1>
            <form id="ask" class="ask-form" action="/conversation" method="get">
            <label class="hidden-text" for="question">Question</label>
            <input id="question" name="question" type="text" value="\(question.htmlEscaped)" maxlength="500"             placeholder="Type a question about health" autocomplete="off" enterkeyhint="search" required>
            <button id="microphone" class="microphone" type="button" hidden></button>
            <button class="submit" type="submit">Ask</button>
            </form>
            <p id="status" class="status" role="status"></p>
            </section>
            <section id="answers" class="results" aria-live="polite">\(answers)</section>
            <section class="examples" aria-labelledby="examples-title">
            <h2 id="examples-title">Questions to try</h2>
            <ul>\(examples.joined())</ul>
            </section>
            """
        return WebPage(title: question.isEmpty ? "Conversation" : "\(question) · Conversation", body: body).html
    }
}

/// The terms and the sources.
enum TermsPage {
    static let html = WebPage(
        title: "Terms and sources · Conversation",
        body: """
            <article class="text">
            <h1>Terms and sources</h1>
            <p>\(WebPage.disclaimer)</p>
            <h2>Answers</h2>
            <p>The answers are quoted from the sources that they name. The confidence is an estimate of how likely the quoted text             answers the question, not of how likely it is true.</p>
            <h2>The embedded questions and answers</h2>
            <p>They are from MedQuAD by Asma Ben Abacha and Dina Demner-Fushman (            <a href="https://doi.org/10.1186/s12859-019-3119-4" rel="noopener noreferrer">BMC Bioinformatics 20:511, 2019</a>),             published under <a href="https://creativecommons.org/licenses/by/4.0/" rel="noopener noreferrer">CC BY 4.0</a>, made from             pages of the US National Institutes of Health and the Centers for Disease Control. White space was tidied.</p>
            <h2>Your voice</h2>
            <p>This server recognises speech itself and does not store it. Questions are not stored either, unless you ask them             on a device with an account.</p>
            </article>
            """
    ).html
}
