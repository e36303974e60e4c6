//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitTransport

/// Sends requests to a provider. Limits the time of each request and the length of its response.
struct ProviderClient: Sendable {
    /// The name of the provider, for messages.
    let provider: String
    let transport: any Transport

    /// A response of a provider.
    struct Response {
        let status: Int
        let headers: [(name: String, value: String)]
        let body: JSONValue
    }

    /// Requests a JSON document.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/unavailable`` when the provider cannot be reached,
    ///   when it responds with status 429 or 5xx, and when its response is too long or is not JSON. The code is
    ///   ``IdentityError/Code/misconfigured`` when the URL is neither HTTPS nor on this machine.
    func get(
        _ url: String, headers: [(name: String, value: String)] = []
    ) async throws(IdentityError) -> Response {
        try await send("GET", url, headers: headers, body: .none)
    }

    /// Sends a form.
    ///
    /// - Throws: The same errors as ``get(_:headers:)``.
    func post(
        _ url: String, form: [(name: String, value: String)], headers: [(name: String, value: String)] = []
    ) async throws(IdentityError) -> Response {
        let type = (name: "Content-Type", value: "application/x-www-form-urlencoded")
        return try await send("POST", url, headers: headers + [type], body: .bytes(Array(FormText.encode(form).utf8)))
    }

    /// Sends a JSON document.
    ///
    /// - Throws: The same errors as ``get(_:headers:)``.
    func post(
        _ url: String, json: JSONValue, headers: [(name: String, value: String)]
    ) async throws(IdentityError) -> Response {
        let type = (name: "Content-Type", value: "application/json")
        return try await send("POST", url, headers: headers + [type], body: .bytes(json.jsonBytes()))
    }

    private func send(
        _ method: String, _ url: String, headers: [(name: String, value: String)], body: TransportRequest.Body
    ) async throws(IdentityError) -> Response {
        guard ProviderClient.isProtected(url) else {
            throw IdentityError(
                .misconfigured, "\(provider)'s address must begin with https://, unless it is on this machine.")
        }
        var request = TransportRequest(method: method, url: url, secondsMax: IdentityLimits.requestSecondsMax)
        request.headers = [("Accept", "application/json"), ("User-Agent", "Godwit")] + headers
        request.body = body
        do {
            let (response, bytes) = try await respond(to: request)
            guard response.status < 500, response.status != 429 else {
                throw IdentityError.unavailable(provider, "fails now (status \(response.status))")
            }
            guard let value = try? JSONValue(parsing: bytes) else {
                throw IdentityError.unavailable(
                    provider, "sent a response that is not JSON (status \(response.status))")
            }
            return Response(status: response.status, headers: response.headers, body: value)
        } catch let error as IdentityError {
            throw error
        } catch {
            // The message of this error must not be logged or sent: it may contain the URL, which may contain a token.
            throw .unavailable(provider, "cannot be reached")
        }
    }

    /// Sends a request and reads the response. The time limit of a request applies to both steps together.
    private func respond(to request: TransportRequest) async throws -> (TransportResponse, [UInt8]) {
        let (transport, outgoing) = (transport, request)
        return try await withThrowingTaskGroup(of: (TransportResponse, [UInt8]).self) { group in
            group.addTask {
                let response = try await transport.send(outgoing)
                return (response, try await response.collect(bytesMax: IdentityLimits.responseBytesMax))
            }
            group.addTask {
                try await Task.sleep(for: .seconds(IdentityLimits.requestSecondsMax))
                throw CancellationError()
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw CancellationError() }
            return answer
        }
    }

    /// Whether a URL begins with `https://`, or its scheme is `http` and its host is `localhost`, `127.0.0.1` or
    /// `[::1]`.
    static func isProtected(_ url: String) -> Bool {
        if url.begins(with: "https://") { return true }
        return ["http://127.0.0.1", "http://localhost", "http://[::1]"].contains { prefix in
            guard url.utf8.starts(with: prefix.utf8) else { return false }
            let rest = url.utf8.dropFirst(prefix.utf8.count)
            let authority = rest.prefix { !"/?#".utf8.contains($0) }
            // The text before an `@` is a user, and the host follows it.
            return !authority.contains(UInt8(ascii: "@")) && (authority.isEmpty || authority.first == UInt8(ascii: ":"))
        }
    }
}

/// Forms and queries in the format `application/x-www-form-urlencoded`.
enum FormText {
    /// Encodes names and values.
    static func encode(_ items: [(name: String, value: String)]) -> String {
        items.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
    }
}
