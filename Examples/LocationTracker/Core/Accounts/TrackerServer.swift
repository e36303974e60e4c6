//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
public import GodwitPlaces
import GodwitStore
public import GodwitTransport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A client of the Location Tracker server's API: registers users, logs them in, and finds places.
///
/// ```swift
/// let server = try TrackerServer("https://tracker.example.org", transport: AsyncHTTPTransport())
/// try await server.register("ana", password: secret)
/// let account = try await server.logIn("ana", password: secret)
/// ```
public struct TrackerServer: Sendable {
    /// The server's URL, without credentials and without a slash at its end.
    public let url: String
    /// The `User-Agent` of all requests, including those of replications.
    public let agent: TrackerAgent

    /// The transport that sends all requests, including those of replications.
    public let transport: any Transport

    /// The maximum time of a request in seconds.
    private static let requestSecondsMax = 30
    /// The maximum length of a response in bytes.
    private static let responseBytesMax = 8 << 20

    /// Creates a client. This sends no requests.
    ///
    /// - Parameters:
    ///   - url: The server's URL, `https://host` or `http://host:port`.
    ///   - agent: The `User-Agent` of requests.
    ///   - transport: The transport that sends the requests: `AsyncHTTPTransport` of `GodwitClientNIO`, or
    ///     `URLSessionTransport` of `Godwit` on Apple's systems.
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/invalidURL``.
    public init(
        _ url: String, agent: TrackerAgent = TrackerAgent(), transport: any Transport
    ) throws(TrackerError) {
        let path = "/api"
        var trimmedURL = url
        while trimmedURL.hasSuffix("/") { trimmedURL.removeLast() }
        guard let address = try? RemoteURL(trimmedURL + path), case .none = address.credentials,
            !trimmedURL.contains("?")
        else {
            throw TrackerError(
                .invalidURL,
                "The address of a server must be like https://host or http://host:port, without a name or password.")
        }
        self.url = String(address.description.dropLast(path.count))
        self.agent = agent
        self.transport = transport
    }

    /// Registers a user.
    ///
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/userExists``, ``TrackerError/Code/unreachable``,
    ///   ``TrackerError/Code/refused`` with the server's reason, ``TrackerError/Code/serverFailed`` or
    ///   ``TrackerError/Code/badAnswer``.
    public func register(_ username: String, password: String) async throws(TrackerError) {
        let body: JSONObject = [
            "_id": .string(username), "username": .string(username), "password": .string(password), "type": "user",
        ]
        let answer = try await send("PUT", "/api/users/\(username.asPathSegment)", body: body)
        guard answer.status != 409 else {
            throw TrackerError(.userExists, "Error registering. User already exists.")
        }
        try check(answer)
    }

    /// Logs a user in and returns the account.
    ///
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/wrongCredentials``, ``TrackerError/Code/unreachable``,
    ///   ``TrackerError/Code/refused``, ``TrackerError/Code/serverFailed`` or ``TrackerError/Code/badAnswer``.
    public func logIn(_ username: String, password: String) async throws(TrackerError) -> TrackerAccount {
        let body: JSONObject = ["username": .string(username), "password": .string(password)]
        let answer = try await send("POST", "/api/login", body: body)
        guard answer.status != 401 else {
            throw TrackerError(.wrongCredentials, "Wrong name or password.")
        }
        try check(answer)
        guard let account = TrackerAccount(answer.json, username: username) else {
            throw badAnswer("a login returned no credentials")
        }
        return account
    }

    /// Returns the places around a position, the nearest first.
    ///
    /// - Parameters:
    ///   - position: The center.
    ///   - radiusMeters: The maximum distance in meters.
    ///   - account: The account whose credentials are sent.
    /// - Returns: The places. Rows without a valid place are left out.
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/unreachable``, ``TrackerError/Code/refused``,
    ///   ``TrackerError/Code/serverFailed`` or ``TrackerError/Code/badAnswer``.
    public func places(
        around position: Position, radiusMeters: Double = Place.radiusMeters, account: TrackerAccount
    ) async throws(TrackerError) -> [Place] {
        let query =
            "lat=\(position.latitude)&lon=\(position.longitude)&radius=\(radiusMeters)"
            + "&relation=contains&nearest=true&include_docs=true"
        let answer = try await send("GET", "/api/places?\(query)", account: account)
        try check(answer)
        guard let rows = answer.json["rows"]?.arrayValue else { throw badAnswer("the list of places has no rows") }
        return rows.compactMap { row in
            row["id"]?.stringValue.flatMap { id in row["doc"]?.objectValue.flatMap { Place(id: id, document: $0) } }
        }
    }

    // MARK: Requests

    struct Answer {
        let status: Int
        /// The JSON of the response; null when the body is not JSON.
        let json: JSONValue
    }

    private func send(
        _ method: String, _ path: String, body: JSONObject? = nil, account: TrackerAccount? = nil
    ) async throws(TrackerError) -> Answer {
        var request = TransportRequest(
            method: method, url: url + path, secondsMax: TrackerServer.requestSecondsMax)
        request.headers = [("User-Agent", agent.text), ("Accept", "application/json")]
        if let body {
            request.headers.append(("Content-Type", "application/json"))
            request.body = .bytes(JSONValue.object(body).jsonBytes())
        }
        if let account {
            let login = Data("\(account.apiKey):\(account.apiPassword)".utf8).base64EncodedString()
            request.headers.append(("Authorization", "Basic \(login)"))
        }
        do throws(ReplicationError) {
            let response = try await transport.send(request)
            let bytes = try await response.collect(bytesMax: TrackerServer.responseBytesMax)
            return Answer(status: response.status, json: (try? JSONValue(parsing: bytes)) ?? .null)
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: ReplicationError) -> TrackerError {
        switch error.code {
        case .network:
            TrackerError(
                .unreachable, "\(url) cannot be reached. Check the address and the network, then try again.",
                cause: error)
        case .untrusted, .cancelled:
            TrackerError(.unreachable, "\(url) cannot be reached: \(error.message).", cause: error)
        default: badAnswer(error.message)
        }
    }

    /// Throws an error if the response does not report success, or if it does not contain JSON. A response can report
    /// success without JSON: a captive portal, for example, responds with a web page.
    private func check(_ answer: Answer) throws(TrackerError) {
        let reason = [answer.json["error"], answer.json["reason"]].compactMap { $0?.stringValue }.joined(
            separator: ": ")
        let summary = "\(url) answered \(answer.status)\(reason.isEmpty ? "" : ": \(reason)")"
        switch answer.status {
        case 200..<300 where !answer.json.isNull: return
        case 200..<400: throw badAnswer("status \(answer.status) without JSON")
        case 401, 403: throw TrackerError(.refused, "\(summary). Log in again.")
        case 500...: throw TrackerError(.serverFailed, "\(summary). Try again later.")
        default: throw TrackerError(.refused, "\(summary).")
        }
    }

    private func badAnswer(_ reason: String) -> TrackerError {
        TrackerError(.badAnswer, "\(url) does not respond like a Location Tracker: \(reason). Check the address.")
    }
}
