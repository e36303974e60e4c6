//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// The mail of an application: the server that sends it, and its texts.
struct MailSettings: Sendable, Equatable {
    /// The names of the variables of texts.
    static let variables: Set<String> = ["app", "name", "email", "link", "code", "hours"]
    /// The names of the variables with values that users choose.
    static let variablesChosenByUsers: Set<String> = ["name", "email"]

    /// The texts of a mail: templates with ``variables``.
    struct Texts: Sendable, Equatable {
        var subject: String
        var text: String
        /// The text as HTML; `nil` for a mail with plain text only.
        var html: String?
    }

    var server: MailServer
    /// The texts that replace the default texts.
    var texts: [MailKind: Texts] = [:]
    /// For each kind of mail, the address to which the link in the mail leads. It is an address of the app, and
    /// contains the variable `{{token}}`. If there is no address for a kind of mail, the link leads to a page of this
    /// server.
    var links: [MailKind: String] = [:]

    /// Parses the settings of a declaration.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/invalidApplication``.
    init(_ value: JSONValue) throws(AccountError) {
        let members = try Members(
            value, "mail",
            known: ["server", "user", "password", "from", "from_name", "ca_file", "templates", "links"])
        guard let from = try members.text("from").flatMap({ MailAddress($0) }) else {
            throw .invalidApplication("mail.from is not an e-mail address")
        }
        guard let url = try members.text("server"), var server = MailServer(url: url, from: from) else {
            throw .invalidApplication("mail.server must be smtp://HOST:PORT or smtps://HOST:PORT, without a user")
        }
        (server.user, server.password) = (try members.text("user"), try members.text("password"))
        (server.name, server.authorities) = (try members.text("from_name"), try members.text("ca_file"))
        self.server = server
        for (name, value) in try members.object("templates", known: nil)?.all ?? [:] {
            texts[try MailSettings.kind(name)] = try Texts(value, "mail.templates.\(name)")
        }
        let all = try members.object("links", known: nil)
        for name in all?.all.keys ?? [] {
            guard let link = try all?.text(name), link.includes("{{token}}") else {
                throw .invalidApplication("mail.links.\(name) must contain {{token}}")
            }
            links[try MailSettings.kind(name)] = link
        }
    }

    private static func kind(_ name: String) throws(AccountError) -> MailKind {
        guard let kind = MailKind(rawValue: name) else {
            let names = MailKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidApplication("mail has no kind \(name): the kinds are \(names)")
        }
        return kind
    }

    /// The settings as JSON, which ``init(_:)`` parses.
    var json: JSONObject {
        var object: JSONObject = ["server": .string(server.url), "from": .string(server.from.description)]
        for (name, value) in [
            ("user", server.user), ("password", server.password), ("from_name", server.name),
            ("ca_file", server.authorities),
        ] {
            if let value { object[name] = .string(value) }
        }
        let templates = MailKind.allCases.compactMap { kind in texts[kind].map { (kind.rawValue, $0.json) } }
        if !templates.isEmpty { object["templates"] = .object(JSONObject(templates)) }
        let links = MailKind.allCases.compactMap { kind in
            self.links[kind].map { (kind.rawValue, JSONValue.string($0)) }
        }
        if !links.isEmpty { object["links"] = .object(JSONObject(links)) }
        return object
    }
}

extension MailSettings.Texts {
    fileprivate init(_ value: JSONValue, _ name: String) throws(AccountError) {
        let members = try Members(value, name, known: ["subject", "text", "html"])
        guard let subject = try members.text("subject"), let text = try members.text("text") else {
            throw .invalidApplication("\(name) needs subject and text")
        }
        self.init(subject: subject, text: text, html: try members.text("html"))
        for template in [subject, text, html].compactMap(\.self)
        where MailTemplate(template, names: MailSettings.variables) == nil {
            let names = MailSettings.variables.sorted().joined(separator: ", ")
            throw .invalidApplication("\(name) is not a valid template with the variables \(names)")
        }
    }

    fileprivate var json: JSONValue {
        var object: JSONObject = ["subject": .string(subject), "text": .string(text)]
        if let html { object["html"] = .string(html) }
        return .object(object)
    }
}
