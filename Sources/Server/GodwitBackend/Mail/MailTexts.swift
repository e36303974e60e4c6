//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

extension MailSettings {
    /// Returns a mail with its variables filled in.
    func message(_ kind: MailKind, to address: MailAddress, _ values: [String: String]) -> MailMessage {
        let texts = texts[kind] ?? .standard(kind)
        func fill(_ text: String, isHTML: Bool = false) -> String {
            // Parsing succeeds, since the texts were checked when they were declared.
            MailTemplate(text, names: MailSettings.variables)?
                .render(values, chosenByUsers: MailSettings.variablesChosenByUsers, isHTML: isHTML) ?? text
        }
        return MailMessage(
            to: address, subject: fill(texts.subject), text: fill(texts.text),
            html: texts.html.map { fill($0, isHTML: true) })
    }

    /// Returns the link of a mail.
    ///
    /// - Parameter page: The address of the server's own page; `nil` when the server's address is unknown.
    func link(_ kind: MailKind, token: String, page: String?) -> String {
        if let link = links[kind] { return link.replacingBytes("{{token}}", with: token) }
        // The token is in the fragment of the address, because browsers do not send the fragment to a server.
        return page.map { "\($0)#\(token)" } ?? token
    }
}

extension MailSettings.Texts {
    /// Returns the default texts.
    static func standard(_ kind: MailKind) -> MailSettings.Texts {
        switch kind {
        case .verification:
            linked(
                "Confirm your e-mail address",
                "Please confirm that this is the e-mail address of your account {{name}} of {{app}}.",
                "Confirm the address")
        case .reset:
            linked(
                "Set a new password", "A new password was requested for your account of {{app}} ({{name}}).",
                "Set a new password")
        case .change:
            linked(
                "Confirm your new e-mail address",
                "Please confirm that {{email}} is the new address of your account of {{app}} ({{name}}).",
                "Confirm the address")
        case .login:
            MailSettings.Texts(
                subject: "{{code}} is your code for {{app}}",
                text: "Your code for {{app}} is {{code}}. It is valid for ten minutes.\n\n\(ignore)\n",
                html:
                    "<p>Your code for {{app}} is <b>{{code}}</b>. It is valid for ten minutes.</p>\n<p>\(ignore)</p>\n")
        case .changed:
            MailSettings.Texts(
                subject: "Your e-mail address was changed",
                text: "The e-mail address of your account of {{app}} ({{name}}) is {{email}} now. If this was not you, "
                    + "ask the provider of {{app}} for help.\n",
                html: nil)
        }
    }

    private static let ignore = "If this was not you, ignore this mail."

    private static func linked(_ subject: String, _ sentence: String, _ action: String) -> MailSettings.Texts {
        MailSettings.Texts(
            subject: subject,
            text: "\(sentence)\n\n{{link}}\n\nThe link is valid for {{hours}}. \(ignore)\n",
            html: """
                <p>\(sentence)</p>
                <p><a href="{{link}}">\(action)</a></p>
                <p>The link is valid for {{hours}}. \(ignore)</p>

                """)
    }
}
