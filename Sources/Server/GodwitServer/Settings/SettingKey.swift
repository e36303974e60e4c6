//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitClientNIO
import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import GodwitViews

/// A setting that can be read and changed while the server runs.
struct SettingKey: Sendable {
    let section: String
    let name: String
    /// Returns the current value as text.
    let read: @Sendable (ServerOptions) -> String
    /// Parses a value and sets it.
    ///
    /// - Returns: The error in the value; `nil` when the value was set. The text is the end of a sentence that begins
    ///   with the name of the setting.
    let write: @Sendable (inout ServerOptions, String) -> String?

    private typealias Path<Value> = any WritableKeyPath<ServerOptions, Value> & Sendable

    private static func flag(_ section: String, _ name: String, _ path: Path<Bool>) -> SettingKey {
        SettingKey(section: section, name: name, read: { String($0[keyPath: path]) }) { options, text in
            guard let value = Bool(text) else { return "must be true or false" }
            options[keyPath: path] = value
            return nil
        }
    }

    private static func number(
        _ section: String, _ name: String, _ path: Path<Int>, in range: ClosedRange<Int>
    ) -> SettingKey {
        SettingKey(section: section, name: name, read: { String($0[keyPath: path]) }) { options, text in
            guard let value = Int(text), range.contains(value) else {
                return "must be a number from \(range.lowerBound) to \(range.upperBound)"
            }
            options[keyPath: path] = value
            return nil
        }
    }

    private static func text(
        _ section: String, _ name: String, _ path: Path<String>, among allowed: [String]? = nil
    ) -> SettingKey {
        SettingKey(section: section, name: name, read: { $0[keyPath: path] }) { options, text in
            if let allowed, !allowed.contains(where: text.isIdenticalText) {
                return "must be one of " + allowed.map { $0.isEmpty ? "nothing" : $0 }.joined(separator: ", ")
            }
            options[keyPath: path] = text
            return nil
        }
    }

    private static func words(_ section: String, _ name: String, _ path: Path<[String]>) -> SettingKey {
        SettingKey(section: section, name: name, read: { $0[keyPath: path].joined(separator: ", ") }) { options, text in
            options[keyPath: path] = words(text)
            return nil
        }
    }

    private static func words(_ text: String) -> [String] {
        text.pieces(at: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
    }

    private static func claims(_ section: String, _ name: String, _ path: Path<RequiredClaims>) -> SettingKey {
        SettingKey(section: section, name: name, read: { $0[keyPath: path].description }) { options, text in
            guard let claims = RequiredClaims(text) else {
                return "must be claims separated by commas, each a name or {name, \"value\"}, for example "
                    + "exp, {iss, \"https://issuer.example\"}"
            }
            options[keyPath: path] = claims
            return nil
        }
    }

    private static func hosts(_ section: String, _ name: String, _ path: Path<AllowedHosts>) -> SettingKey {
        SettingKey(section: section, name: name, read: { $0[keyPath: path].words.joined(separator: ", ") }) {
            options, text in
            guard let hosts = AllowedHosts(words(text)) else {
                return "must be host names, addresses or networks separated by commas, for example "
                    + "couch.example.org, 203.0.113.7:5984, 10.1.0.0/16"
            }
            options[keyPath: path] = hosts
            return nil
        }
    }

    /// The secret from which the keys of sessions are derived. Its default is a random value. With an empty secret,
    /// anyone could forge sessions.
    static let secret = SettingKey(section: "chttpd_auth", name: "secret", read: { $0.secret }) { options, text in
        options.secret = text.isEmpty ? Administrators.randomPassword() : text
        return nil
    }

    /// The identifier of the server. Its default is a random value.
    private static let serverID = SettingKey(section: "couchdb", name: "uuid", read: { $0.serverID }) { options, text in
        options.serverID = text.isEmpty ? DocumentID.random() : text
        return nil
    }

    /// The settings whose default is a new random value.
    static let made = [secret, serverID]

    /// The name of the users' database, which cannot be changed.
    private static let usersDatabase = SettingKey(
        section: "chttpd_auth", name: "authentication_db", read: { _ in UsersDatabase.name }
    ) { _, text in
        text.isIdenticalText(to: UsersDatabase.name)
            ? nil : "must be \(UsersDatabase.name): no other database has accounts"
    }

    private static let idAlgorithm = SettingKey(
        section: "uuids", name: "algorithm", read: { $0.idAlgorithm.rawValue }
    ) { options, text in
        guard let algorithm = DocumentIDs.Algorithm(rawValue: text) else {
            return "must be one of " + DocumentIDs.Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
        }
        options.idAlgorithm = algorithm
        return nil
    }

    /// All settings, with CouchDB's sections and names.
    static let all: [SettingKey] = [
        .flag("chttpd", "require_valid_user", \.requiresValidUser),
        .flag("chttpd", "require_valid_user_except_for_up", \.requiresValidUserExceptForUp),
        .flag("chttpd", "admin_only_all_dbs", \.listsDatabasesForAdministrators),
        .flag("chttpd", "enable_cors", \.cors.isEnabled),
        .flag("couchdb", "users_db_security_editable", \.allowsUsersSecurityChange),
        .text("chttpd", "authentication_handlers", \.authenticationHandlers),
        .text("couchdb", "default_security", \.defaultSecurity, among: ["admin_only", "admin_local", "everyone"]),
        .number("chttpd_auth", "timeout", \.cookieSeconds, in: 1...31_536_000),
        .flag("chttpd_auth", "allow_persistent_cookies", \.cookiesPersist),
        .text("chttpd_auth", "same_site", \.sameSite, among: ["", "none", "lax", "strict"]),
        .secret, .serverID, .idAlgorithm,
        .text("uuids", "utc_id_suffix", \.idSuffix),
        .number("chttpd_auth", "iterations", \.iterations, in: 1...PasswordHash.iterationsMax),
        .flag("chttpd_auth", "proxy_use_secret", \.proxyUsesSecret),
        .usersDatabase,
        .claims("jwt_auth", "required_claims", \.requiredClaims),
        .text("jwt_auth", "roles_claim_name", \.rolesClaim),
        .text("jwt_auth", "roles_claim_path", \.rolesClaimPath),
        .words("cors", "origins", \.cors.origins),
        .flag("cors", "credentials", \.cors.allowsCredentials),
        .words("cors", "methods", \.cors.methods),
        .words("cors", "headers", \.cors.headers),
        .number("cors", "max_age", \.cors.maxAgeSeconds, in: 0...86_400),
        .number("couchdb", "max_document_size", \.documentBytesMax, in: 1...ServerLimits.documentBytesCeiling),
        .number("chttpd", "max_http_request_size", \.requestBytesMax, in: 1...ServerLimits.requestBytesCeiling),
        .number("couchdb", "os_process_timeout", \.functions.callMillisecondsMax, in: 100...86_400_000),
        .number(
            "query_server_config", "os_process_limit", \.functions.processesMax, in: 1...ScriptLimits.workersCeiling),
        .number("query_server_config", "os_process_idle_limit", \.functions.idleSecondsMax, in: 1...86_400),
        .number("work", "requests_per_client_max", \.requestsPerClientMax, in: 1...1_000_000),
        .number("log", "slow_query_milliseconds", \.slowQueryMilliseconds, in: 0...86_400_000),
        .number("backup", "every_hours", \.backups.hours, in: 0...8_760),
        .number("backup", "keep", \.backups.keptCount, in: 1...1_000),
        .text("audit", "record", \.audit.record, among: ["applications", "always", "never"]),
        .number("audit", "days", \.audit.days, in: 1...36_500),
        .number("audit", "events_max", \.audit.eventsMax, in: 100...100_000_000),
        .number("work", "steps_max", \.workLimits.stepsMax, in: 1_000_000...1_000_000_000_000),
        .number("work", "document_steps_max", \.workLimits.documentStepsMax, in: 100_000...1_000_000_000),
        .flag("query_server_config", "allow_unconfined", \.functions.allowsUnconfined),
        .number("replicator", "max_jobs", \.replicationsMax, in: 1...100_000),
        .number("replicator", "max_jobs_per_owner", \.replicationsPerOwnerMax, in: 1...100_000),
        .hosts("replicator", "allowed_hosts", \.replicationHosts),
    ]

    /// Older names of sections.
    static let sectionNames = ["httpd": "chttpd", "couch_httpd_auth": "chttpd_auth"]

    /// Returns the setting with a section and a name; `nil` when this server does not use it.
    static func named(_ section: String, _ name: String) -> SettingKey? {
        if section == Self.tokenKeys { return tokenKey(name) }
        let section = sectionNames[section] ?? section
        return all.first { $0.section.isIdenticalText(to: section) && $0.name.isIdenticalText(to: name) }
    }

    /// The section with the keys of tokens. Its settings may have any name that begins with a known prefix.
    static let tokenKeys = "jwt_keys"

    private static func tokenKey(_ name: String) -> SettingKey? {
        guard ["hmac:", "rsa:", "ec:"].contains(where: { name.begins(with: $0) && name.utf8.count > $0.utf8.count })
        else { return nil }
        return SettingKey(section: tokenKeys, name: name, read: { $0.tokenKeys[ExactText(name)] ?? "" }) {
            options, text in
            options.tokenKeys[ExactText(name)] = text.isEmpty ? nil : text
            return nil
        }
    }
}
