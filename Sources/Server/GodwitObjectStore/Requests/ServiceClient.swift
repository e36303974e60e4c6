//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitTransport

/// The response to a request, with its complete body.
struct ServiceAnswer: Sendable {
    /// The status.
    let status: Int
    /// The headers.
    let headers: [(name: String, value: String)]
    /// The body.
    let body: [UInt8]

    /// Whether the request succeeded.
    var isSuccess: Bool { 200..<300 ~= status }

    /// The value of the first header with a name, whose case is ignored; `nil` if there is no such header.
    subscript(name: String) -> String? {
        headers.first { $0.name.lowercased().utf8.elementsEqual(name.lowercased().utf8) }?.value
    }
}

extension ServiceAnswer {
    /// Reads the body of a response.
    init(collecting response: TransportResponse) async throws(ObjectError) {
        do throws(ReplicationError) {
            let body = try await response.collect(bytesMax: ServiceLimits.responseBytesMax)
            self.init(status: response.status, headers: response.headers, body: body)
        } catch {
            throw ObjectError(error)
        }
    }
}

/// A client that authorizes requests to a service, sends them, and repeats requests after temporary failures.
protocol ServiceClient: ObjectStore {
    /// Authorizes a request, sends it once, and returns its response, even if the status reports a failure.
    func respond(to request: ServiceRequest) async throws(ObjectError) -> TransportResponse

    /// Returns the error for a response that reports a failure.
    func failure(_ answer: ServiceAnswer, _ request: ServiceRequest) -> ObjectError
}

extension ServiceClient {
    /// Sends a request, and repeats it after temporary failures if the request can be repeated. Returns the successful
    /// response with its complete body.
    ///
    /// - Throws: The error of the last attempt, or ``ObjectError`` with code ``ObjectError/Code/cancelled`` if the task
    ///   was cancelled between two attempts.
    func answer(to request: ServiceRequest) async throws(ObjectError) -> ServiceAnswer {
        try await repeating(request) { () async throws(ObjectError) -> ServiceAnswer in
            let answer = try await ServiceAnswer(collecting: try await respond(to: request))
            guard answer.isSuccess else { throw failure(answer, request) }
            return answer
        }
    }

    /// Sends a request, and repeats it after temporary failures. Returns the successful response before its body is
    /// read.
    ///
    /// - Throws: The error of the last attempt.
    func response(to request: ServiceRequest) async throws(ObjectError) -> TransportResponse {
        try await repeating(request) { () async throws(ObjectError) -> TransportResponse in
            let response = try await respond(to: request)
            guard 200..<300 ~= response.status else {
                throw failure(try await ServiceAnswer(collecting: response), request)
            }
            return response
        }
    }

    private func repeating<Response: Sendable>(
        _ request: ServiceRequest, _ attempt: () async throws(ObjectError) -> Response
    ) async throws(ObjectError) -> Response {
        var wait = ServiceLimits.retrySeconds
        for _ in 1..<ServiceLimits.attemptsMax {
            do throws(ObjectError) {
                return try await attempt()
            } catch {
                guard request.isRepeatable, error.isTransient else { throw error }
            }
            try await ServiceRetry.pause(wait)
            wait *= 4
        }
        return try await attempt()
    }
}

/// The waits between the attempts of a request.
private enum ServiceRetry {
    static func pause(_ seconds: Double) async throws(ObjectError) {
        do {
            try await Task.sleep(for: .seconds(seconds))
        } catch {
            throw ObjectError(.cancelled, "The task was cancelled.")
        }
    }
}

extension Transport {
    /// Sends a request and returns its response. If the body of the request cannot be read, the error of its source is
    /// thrown unchanged.
    func response(to request: TransportRequest) async throws(ObjectError) -> TransportResponse {
        do throws(ReplicationError) {
            return try await send(request)
        } catch {
            guard case .stream(let pieces, _) = request.body else { throw ObjectError(error) }
            throw (pieces as? SourcePieces)?.failure ?? ObjectError(error)
        }
    }
}
