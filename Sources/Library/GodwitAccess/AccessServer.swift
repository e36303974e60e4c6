//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitTransport

/// Sends requests to the routes of an application, `/_apps/ID`.
struct AccessServer: Sendable {
    private let url: String
    private let transport: any Transport

    init(_ server: RemoteURL, application: String, transport: any Transport) {
        url = "\(server)/_apps/\(application.percentEncoded)"
        self.transport = transport
    }

    /// Sends a request with a JSON object.
    ///
    /// - Returns: The status and the answer. The answer is `null` if it is not JSON.
    func send(
        _ path: String, _ body: JSONObject, method: String = "POST"
    ) async throws(AccessError) -> (status: Int, answer: JSONValue, retryAfterSeconds: Double?) {
        var request = TransportRequest(
            method: method, url: "\(url)/\(path)", secondsMax: AccessLimits.requestSecondsMax)
        request.headers = [
            ("User-Agent", "Godwit"), ("Accept", "application/json"), ("Content-Type", "application/json"),
        ]
        request.body = .bytes(JSONValue.object(body).jsonBytes())
        do {
            let response = try await transport.send(request)
            let bytes = try await response.collect(bytesMax: AccessLimits.answerBytesMax)
            return (response.status, (try? JSONValue(parsing: bytes)) ?? .null, response.retryAfterSeconds)
        } catch {
            throw AccessError(error)
        }
    }

    /// Sends a POST with a JSON object, and returns the answer. Throws an error if the status is not a success.
    func post(_ path: String, _ body: JSONObject) async throws(AccessError) -> JSONValue {
        let (status, answer, retryAfterSeconds) = try await send(path, body)
        guard status == 200 else { throw AccessError(status: status, answer, retryAfterSeconds: retryAfterSeconds) }
        return answer
    }
}
