//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import AsyncHTTPClient
import GodwitClient
import GodwitClientNIO
import GodwitHost
import GodwitJSON
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Asks a server, as the benchmark does it: fast, and holding no large answer.
struct BenchClient: Sendable {
    /// How long one request may take, in seconds.
    private static let secondsMax = 600

    private let client: HTTPClient
    private let base: String
    private let authorization: String?

    /// - Parameters:
    ///   - server: The URL of a server, with credentials as input.
    ///   - credentials: What is used without them.
    ///   - trust: Which servers are trusted.
    init(server: String, credentials: Credentials, trust: TrustOption) throws {
        guard var parts = URLComponents(string: server), parts.host != nil,
            ["http", "https"].contains(parts.scheme?.lowercased())
        else { throw ValidationError("--url must be a server's URL, for example http://127.0.0.1:5984") }
        var login = credentials
        if let user = parts.user { login = .basic(user: user, password: parts.password ?? "") }
        (parts.user, parts.password, parts.path, parts.query, parts.fragment) = (nil, nil, "", nil, nil)
        base = parts.string ?? server
        authorization = login.authorization
        client = try trust.client(silenceSecondsMax: BenchClient.secondsMax)
    }

    /// The server's address without credentials.
    var description: String { base }

    /// Asks, and counts the bytes of the answer.
    ///
    /// - Throws: ``CommandFailure`` when the status is none of success.
    @discardableResult
    func send(_ method: String, _ path: String, body: HTTPClientRequest.Body? = nil, type: String = "application/json")
        async throws -> Int
    {
        let response = try await execute(method, path, body: body, type: type)
        var count = 0
        for try await piece in response.body { count += piece.readableBytes }
        return count
    }

    /// Asks for JSON; `nil` when the status is none of success.
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
