//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient
import GodwitClientNIO
import GodwitJSON
import GodwitServer
import GodwitStore
import LocationTrackerClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The server of the demo over HTTP, as its administrator, its analyst and its users see it.
struct DemoServer: Sendable {
    /// A name and a password for Basic authentication.
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
        "/_apps/\(TrackerRoutes.application)/users/\(name.escapedForPath)"
    }

    /// How many locations a user has on the server; `nil` when there is no such user.
    func locationCount(of name: String) async throws -> Int? {
        let answer = try await send("GET", DemoServer.path(ofUser: name), as: administrator)
        guard answer.status != 404 else { return nil }
        return try await documentCount(of: try answer.checked()["database"]?.stringValue ?? "", as: administrator)
    }

    /// Gives a user who is there another password.
    func setPassword(of name: String, to password: String) async throws {
        let body: JSONObject = ["new_password": .string(password)]
        _ = try await send("PUT", "\(DemoServer.path(ofUser: name))/password", body: body, as: administrator).checked()
    }

    /// Removes a user with all their data.
    func remove(_ name: String) async throws {
        _ = try await send("DELETE", DemoServer.path(ofUser: name), as: administrator).checked()
    }

    /// Makes a user of the server who reads everybody's locations, or gives one who is there another password.
    func makeAnalyst(_ name: String, password: String) async throws -> Login {
        let path = "/_users/org.couchdb.user:\(name)"
        let known = try await send("GET", path, as: administrator)
        var body: JSONObject = [
            "name": .string(name), "type": "user", "password": .string(password),
            "roles": [.string(TrackerRoutes.analystRole)],
        ]
        if known.status == 200 { body["_rev"] = known.json["_rev"] }
        _ = try await send("PUT", path, body: body, as: administrator).checked()
        return Login(name: name, password: password)
    }

    // MARK: Databases

    /// How many documents a database has, design documents aside.
    func documentCount(of database: String, as login: Login) async throws -> Int {
        let answer = try await send("GET", "/\(database.escapedForPath)/_all_docs", as: login).checked()
        let ids = (answer["rows"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
        return ids.count { !$0.hasPrefix("_design/") }
    }

    /// How many locations of each user the consolidated database has.
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

    /// What the server answers to a request for a database: `403 forbidden` for somebody else's.
    func answer(for database: String, as login: Login) async throws -> String {
        let answer = try await send("GET", "/\(database.escapedForPath)/_all_docs", as: login)
        return "\(answer.status) \(answer.json["error"]?.stringValue ?? "")"
    }

    // MARK: Requests

    private struct Answer {
        let request: String
        let status: Int
        let json: JSONValue

        /// The answer of a request that succeeded.
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

extension String {
    /// The text as one segment of a URL's path: every byte but letters, digits, `-`, `.`, `_` and `~` is escaped.
    fileprivate var escapedForPath: String {
        utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            guard !character.isASCII || !(character.isLetter || character.isNumber || "-._~".contains(character)) else {
                return String(character)
            }
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count < 2 ? "%0\(digits)" : "%\(digits)"
        }.joined()
    }
}
