//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitClient
public import GodwitJSON
import GodwitStore

/// Who is logged in, and what the server gave them to reach their own database with.
public struct TrackerAccount: Sendable, Equatable {
    /// The user's name.
    public let username: String
    /// The name of the key that opens the user's database.
    public let apiKey: String
    /// The key's password.
    public let apiPassword: String
    /// The user's database.
    public let databaseName: String
    /// Its server: a host, with a colon and a port where it has another than the usual.
    public let databaseHost: String
    /// `http` or `https`.
    public let databaseProtocol: String

    /// What is spoken where the server does not say.
    private static let protocolUsual = "https"

    /// Creates an account.
    public init(
        username: String, apiKey: String, apiPassword: String, databaseName: String, databaseHost: String,
        databaseProtocol: String
    ) {
        self.username = username
        self.apiKey = apiKey
        self.apiPassword = apiPassword
        self.databaseName = databaseName
        self.databaseHost = databaseHost
        self.databaseProtocol = databaseProtocol
    }

    /// Reads what a server answers to a login, or what a store kept.
    ///
    /// - Parameters:
    ///   - json: An object with `api_key`, `api_password`, `location_db_name`, `location_db_host`, and perhaps
    ///     `location_db_host_protocol`.
    ///   - username: The user's name.
    /// - Returns: `nil` when something is missing.
    public init?(_ json: JSONValue, username: String) {
        let text = { (name: String) in json[name]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
        let spoken = text("location_db_host_protocol") ?? TrackerAccount.protocolUsual
        guard let key = text("api_key"), let password = text("api_password"), let name = text("location_db_name"),
            let host = text("location_db_host"), ["http", "https"].contains(spoken)
        else { return nil }
        self.init(
            username: username, apiKey: key, apiPassword: password, databaseName: name, databaseHost: host,
            databaseProtocol: spoken)
    }

    /// The account in the form that ``init(_:username:)`` reads, with the name as `username`. It holds the key's password.
    public var json: JSONObject {
        [
            "username": .string(username), "api_key": .string(apiKey), "api_password": .string(apiPassword),
            "location_db_name": .string(databaseName), "location_db_host": .string(databaseHost),
            "location_db_host_protocol": .string(databaseProtocol),
        ]
    }

    /// The address of the server that holds the database.
    public var serverURL: String { "\(databaseProtocol)://\(databaseHost)" }

    /// The address of the user's database, without credentials.
    public var databaseURL: String { "\(serverURL)/\(databaseName.asPathSegment)" }

    /// What goes with each request for it.
    public var credentials: Credentials { .basic(user: apiKey, password: apiPassword) }
}

extension TrackerAccount: CustomStringConvertible, CustomReflectable {
    /// The user's name: nothing secret is shown.
    public var description: String { "account of \(username)" }

    /// The user's name: nothing secret is shown.
    public var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}
