//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitServer

/// The page to which links in mails lead. The token is in the fragment of the page's address, and browsers do not send
/// the fragment to servers. The page sends the token only when the user presses the button. Therefore the token remains
/// valid if a program, such as a virus scanner, follows all links of a mail.
enum ConfirmPage {
    struct File: Sendable {
        let type: String
        let text: String

        func send(_ response: ServerResponse) async throws {
            guard type.begins(with: "text/html") else {
                return try await response.send(
                    contentType: type, headers: PagePolicy.fileHeaders, body: Array(text.utf8))
            }
            let policy = PagePolicy()
            try await response.send(
                contentType: type, headers: policy.headers, body: policy.adding(to: Array(text.utf8)))
        }
    }

    static let files = [
        "page.js": File(type: "text/javascript; charset=utf-8", text: script),
        "page.css": File(type: "text/css; charset=utf-8", text: style),
    ]

    static let html = File(
        type: "text/html; charset=utf-8",
        text: """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>Confirm</title>
            <link rel="stylesheet" href="confirm/page.css">
            <script type="module" src="confirm/page.js"></script>
            <main>
            <h1 id="title">Confirm</h1>
            <form id="form" hidden>
            <label id="password" hidden>New password
            <input id="new" type="password" autocomplete="new-password" minlength="1"></label>
            <button id="button"></button>
            </form>
            <p id="message" role="status"></p>
            <noscript>This page needs JavaScript.</noscript>
            </main>
            </html>

            """)

    private static let script = """
        // The token is the address's fragment: KIND.USER.SECRET.
        const token = location.hash.slice(1)
        const kind = token.split(".")[0]
        const texts = {
          verification: ["Confirm your e-mail address", "Confirm the address", "The address is confirmed."],
          change: ["Confirm your new e-mail address", "Confirm the address", "The address is confirmed."],
          reset: ["Set a new password", "Set the password", "The password is set. Log in with it in the app."],
        }[kind]
        const element = id => document.getElementById(id)
        history.replaceState(null, "", location.pathname)

        if (texts) {
          document.title = element("title").textContent = texts[0]
          element("button").textContent = texts[1]
          element("password").hidden = kind !== "reset"
          element("new").required = kind === "reset"
          element("form").hidden = false
        } else {
          element("message").textContent = "This link is not complete. Copy it from the mail again."
        }

        element("form").addEventListener("submit", async event => {
          event.preventDefault()
          element("button").disabled = true
          element("message").textContent = ""
          const body = { token }
          if (kind === "reset") body.new_password = element("new").value
          try {
            const answer = await fetch(location.pathname, {
              method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
            })
            const result = await answer.json()
            element("message").textContent = answer.ok ? texts[2] : result.reason
            element("form").hidden = answer.ok
          } catch {
            element("message").textContent = "The server cannot be reached. Try again."
          }
          element("button").disabled = false
        })

        """

    private static let style = """
        :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
        body { margin: 0; min-height: 100vh; display: grid; place-items: center }
        main { width: min(22rem, 90vw) }
        h1 { font-size: 1.4rem }
        label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit }
        input { margin: .3rem 0 1rem; padding: .6rem }
        button { padding: .7rem; border: 0; border-radius: .4rem; background: #0b57d0; color: #fff; cursor: pointer }
        button:disabled { opacity: .6 }

        """
}
