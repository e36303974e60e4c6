//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import AsyncHTTPClient
import GodwitClientNIO
import GodwitFoundation
import GodwitHost
import GodwitJSON
import GodwitTransport
import NIOCore
import NIOHTTP1

/// The HTTP client of the benchmark. It is fast, and does not store large responses.
struct BenchClient: Sendable {
    /// The maximum time of one request, in seconds.
    private static let secondsMax = 600

    private let client: HTTPClient
    private let base: String
    private let authorization: String?

    /// Creates a client for a server.
    ///
    /// - Parameters:
    ///   - server: The URL of a server, which may contain credentials. Its path is ignored.
    ///   - credentials: The credentials to use when the URL contains none.
    ///   - trust: The trusted certificate authorities.
    init(server: String, credentials: Credentials, trust: TrustOption) throws {
        guard var parts = URLComponents(string: server), parts.host != nil,
            ["http", "https"].contains(parts.scheme?.lowercased())
        else { throw ValidationError("--url must be a server's URL, for example http://127.0.0.1:5984") }
        do {
            try RemoteURL.checkAuthority(of: server)
        } catch {
            throw ValidationError("--url: \(error.message)")
        }
        var login = credentials
        if let user = parts.user { login = .basic(user: user, password: parts.password ?? "") }
        (parts.user, parts.password, parts.path, parts.query, parts.fragment) = (nil, nil, "", nil, nil)
        base = parts.string ?? server
        authorization = login.authorization
        client = try trust.client(silenceSecondsMax: BenchClient.secondsMax)
    }

    /// The server's URL without credentials.
    var description: String { base }

    /// Sends a request and returns the number of bytes of the response.
    ///
    /// - Throws: ``CommandFailure`` when the request fails or the status is not 2xx; errors of the connection while the
    ///   response is read.
    @discardableResult
    func send(_ method: String, _ path: String, body: HTTPClientRequest.Body? = nil, type: String = "application/json")
        async throws -> Int
    {
        let response = try await execute(method, path, body: body, type: type)
        var count = 0
        for try await piece in response.body { count += piece.readableBytes }
        return count
    }

    /// Requests JSON; returns `nil` when the request fails, the status is not 2xx, or the response is not JSON.
    ///
    /// - Throws: An error when the response is longer than 1 MB or incomplete.
    func json(_ path: String) async throws -> JSONValue? {
        guard let response = try? await execute("GET", path, body: nil, type: "application/json") else { return nil }
        let bytes = try await response.body.collect(upTo: 1 << 20)
        return try? JSONValue(parsing: Array(bytes.readableBytesView))
    }

    private func execute(
        _ method: String, _ path: String, body: HTTPClientRequest.Body?, type: String
    ) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: "\(base)/\(path)")
        request.method = .RAW(value: method)
        if let authorization { request.headers.add(name: "Authorization", value: authorization) }
        if let body {
            request.body = body
            request.headers.add(name: "Content-Type", value: type)
        }
        let response: HTTPClientResponse
        do {
            response = try await client.execute(request, timeout: .seconds(Int64(BenchClient.secondsMax)))
        } catch {
            let failure = TransportFailure(error)
            let advice = failure.isUntrusted ? CommandFailure.trustAdvice : "Check that a server listens there."
            throw CommandFailure(message: "\(method) \(base)/\(path): \(failure). \(advice)")
        }
        guard (200..<300).contains(response.status.code) else {
            throw CommandFailure(
                message: "\(method) \(base)/\(path): status \(response.status.code). Check the credentials.")
        }
        return response
    }
}
