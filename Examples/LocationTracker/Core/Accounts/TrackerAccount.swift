//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
import GodwitStore
public import GodwitTransport

/// The user who is logged in, with the credentials of the user's database.
public struct TrackerAccount: Sendable, Equatable {
    /// The user's name.
    public let username: String
    /// The name of the API key for the user's database.
    public let apiKey: String
    /// The key's password.
    public let apiPassword: String
    /// The name of the user's database.
    public let databaseName: String
    /// The host of the server that contains the database. If the port is not the default port, a colon and the port
    /// follow.
    public let databaseHost: String
    /// `http` or `https`.
    public let databaseProtocol: String

    /// The protocol that is used when the server does not name one.
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

    /// Reads an account from a server's response to a login, or from the JSON of a store.
    ///
    /// - Parameters:
    ///   - json: An object with `api_key`, `api_password`, `location_db_name`, `location_db_host`, and optionally
    ///     `location_db_host_protocol`.
    ///   - username: The user's name.
    /// - Returns: `nil` when a required member is missing or empty, or the protocol is neither `http` nor `https`.
    public init?(_ json: JSONValue, username: String) {
        let text = { (name: String) in json[name]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
        let protocolName = text("location_db_host_protocol") ?? TrackerAccount.protocolUsual
        guard let key = text("api_key"), let password = text("api_password"), let name = text("location_db_name"),
            let host = text("location_db_host"), ["http", "https"].contains(protocolName)
        else { return nil }
        self.init(
            username: username, apiKey: key, apiPassword: password, databaseName: name, databaseHost: host,
            databaseProtocol: protocolName)
    }

    /// The account as JSON for ``init(_:username:)``, with the user's name as `username`. It contains the API key's
    /// password.
    public var json: JSONObject {
        [
            "username": .string(username), "api_key": .string(apiKey), "api_password": .string(apiPassword),
            "location_db_name": .string(databaseName), "location_db_host": .string(databaseHost),
            "location_db_host_protocol": .string(databaseProtocol),
        ]
    }

    /// The URL of the database's server.
    public var serverURL: String { "\(databaseProtocol)://\(databaseHost)" }

    /// The URL of the user's database, without credentials.
    public var databaseURL: String { "\(serverURL)/\(databaseName.asPathSegment)" }

    /// The credentials for requests to the database.
    public var credentials: Credentials { .basic(user: apiKey, password: apiPassword) }
}

extension TrackerAccount: CustomStringConvertible, CustomReflectable {
    /// The user's name, without secrets.
    public var description: String { "account of \(username)" }

    /// The user's name, without secrets.
    public var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}
