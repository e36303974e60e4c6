//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitClientNIO
import GodwitJSON
import GodwitServer
import GodwitStore
import GodwitTransport
import LocationTrackerClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An HTTP client of the demo's server, for its administrator, its analyst and its users.
struct DemoServer: Sendable {
    /// A name and a password for basic authentication.
    struct Login: Sendable {
        let name: String
        let password: String
    }

    let url: String
    let administrator: Login

    private let transport = AsyncHTTPTransport()
    private static let secondsMax = 30
    private static let responseBytesMax = 8 << 20

    init(url: String, administrator: Login) {
        self.url = url
        self.administrator = administrator
    }

    // MARK: Accounts

    private static func path(ofUser name: String) -> String {
        "/_apps/\(TrackerRoutes.application)/users/\(name.percentEncoded)"
    }

    /// Returns the number of locations of a user on the server; `nil` when the user does not exist.
    func locationCount(of name: String) async throws -> Int? {
        let answer = try await send("GET", DemoServer.path(ofUser: name), as: administrator)
        guard answer.status != 404 else { return nil }
        return try await documentCount(of: try answer.checked()["database"]?.stringValue ?? "", as: administrator)
    }

    /// Sets the password of an existing user. Throws an error if the user does not exist.
    func setPassword(of name: String, to password: String) async throws {
        let body: JSONObject = ["new_password": .string(password)]
        _ = try await send("PUT", "\(DemoServer.path(ofUser: name))/password", body: body, as: administrator).checked()
    }

    /// Removes a user with all their data.
    func remove(_ name: String) async throws {
        _ = try await send("DELETE", DemoServer.path(ofUser: name), as: administrator).checked()
    }

    /// Creates a user of the server who can read the locations of all users. If this user exists already, the user's
    /// document is replaced, with the new password.
    func makeAnalyst(_ name: String, password: String) async throws -> Login {
        let path = "/_users/org.couchdb.user:\(name)"
        let existing = try await send("GET", path, as: administrator)
        var body: JSONObject = [
            "name": .string(name), "type": "user", "password": .string(password),
            "roles": [.string(TrackerRoutes.analystRole)],
        ]
        if existing.status == 200 { body["_rev"] = existing.json["_rev"] }
        _ = try await send("PUT", path, body: body, as: administrator).checked()
        return Login(name: name, password: password)
    }

    // MARK: Databases

    /// Returns the number of those documents of a database that are not design documents.
    func documentCount(of database: String, as login: Login) async throws -> Int {
        let answer = try await send("GET", "/\(database.percentEncoded)/_all_docs", as: login).checked()
        let ids = (answer["rows"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
        return ids.count { !$0.hasPrefix("_design/") }
    }

    /// Returns the number of locations of each user in the consolidated database.
    func consolidatedCounts(as login: Login) async throws -> [String: Int] {
        let path = "/\(TrackerRoutes.consolidated)/_design/users/_view/newest?group_level=1"
        let answer = try await send("GET", path, as: login).checked()
        let rows = (answer["rows"]?.arrayValue ?? []).compactMap { row -> (String, Int)? in
            guard let name = row["key"]?.arrayValue?.first?.stringValue, let count = row["value"]?.intValue else {
                return nil
            }
            return (name, Int(count))
        }
        return Dictionary(rows) { $1 }
    }

    /// Returns the status and the error of a request for a database: for example, `403 forbidden` if the database
    /// belongs to another user.
    func answer(for database: String, as login: Login) async throws -> String {
        let answer = try await send("GET", "/\(database.percentEncoded)/_all_docs", as: login)
        return "\(answer.status) \(answer.json["error"]?.stringValue ?? "")"
    }

    // MARK: Requests

    private struct Answer {
        let request: String
        let status: Int
        let json: JSONValue

        /// Returns the JSON of a successful response.
        ///
        /// - Throws: ``TrackerError`` when the status is not 2xx.
        func checked() throws -> JSONValue {
            guard (200..<300).contains(status) else {
                throw TrackerError(.refused, "\(request) returned \(status): \(json["reason"]?.stringValue ?? "")")
            }
            return json
        }
    }

    private func send(
        _ method: String, _ path: String, body: JSONObject? = nil, as login: Login
    ) async throws -> Answer {
        var request = TransportRequest(method: method, url: url + path, secondsMax: DemoServer.secondsMax)
        let basic = Data("\(login.name):\(login.password)".utf8).base64EncodedString()
        request.headers = [("Authorization", "Basic \(basic)"), ("Content-Type", "application/json")]
        if let body { request.body = .bytes(JSONValue.object(body).jsonBytes()) }
        let response = try await transport.send(request)
        let bytes = try await response.collect(bytesMax: DemoServer.responseBytesMax)
        return Answer(
            request: "\(method) \(path)", status: response.status, json: (try? JSONValue(parsing: bytes)) ?? .null)
    }
}
