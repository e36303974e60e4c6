//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// Answers one request: finds its route, tells who asks, lets the handler answer, and turns what it throws into
/// CouchDB's errors.
struct Responder: Sendable {
    let router: Router
    let authenticator: Authenticator
    let logger: Logger

    /// Thrown after an answer to end the connection with it.
    private struct EndOfConnection: Error {}

    func respond(to request: Request, writer: consuming ResponseWriter, channel: any Channel) async throws {
        // The gate and the response know each other: leave to send goes out through the response, and an answer that
        // comes before it ends the connection, because the body may or may not follow.
        let gate = BodyGate()
        let response = ServerResponse(
            writer: writer, isHead: request.method == .head, commonHeaders: Responder.commonHeaders,
            closesConnection: { gate.isClosed })
        if request.headers[.expect]?.lowercased() == "100-continue" {
            gate.set { try await response.announceContinue() }
        }
        do {
            try await dispatch(request, gate: gate, channel: channel, to: response)
        } catch {
            try await fail(with: error, request: request, response: response)
        }
        if response.endsConnection { throw EndOfConnection() }
    }

    private func dispatch(
        _ request: Request, gate: BodyGate, channel: any Channel, to response: ServerResponse
    ) async throws {
        let target = try RequestTarget(request.head.path ?? "/")
        var serverRequest = ServerRequest(
            head: request.head, target: target, isFromLoopback: Responder.isLoopback(channel),
            body: request.body, beforeBody: gate)
        switch router.match(request.method, target.segments) {
        case .route(let route, let parameters):
            serverRequest.parameters = parameters
            let principal = try await admit(serverRequest, to: route)
            try await route.handler(serverRequest, principal, response)
        case .otherMethods(let methods):
            _ = try await authenticator.principal(authorization: request.headers[.authorization])
            throw HTTPFailure.methodNotAllowed(methods)
        case .none:
            throw HTTPFailure.missing
        }
    }

    private func admit(_ request: ServerRequest, to route: Route) async throws -> Principal {
        switch route.access {
        case .anyone: return .anonymous
        case .loopback:
            // The name is checked too: a page elsewhere could point a name of its own at this address.
            guard request.isFromLoopback, Responder.isLoopbackName(request.head.authority) else {
                throw HTTPFailure(.forbidden, "forbidden", "This page is for this machine alone: ask for 127.0.0.1.")
            }
            return .anonymous
        case .administrator:
            let principal = try await authenticator.principal(authorization: request.header(.authorization))
            guard case .administrator = principal else {
                throw HTTPFailure.unauthorized("You are not a server admin.")
            }
            return principal
        }
    }

    private func fail(with error: any Error, request: Request, response: ServerResponse) async throws {
        if error is CancellationError { throw error }
        let failure = HTTPFailure(error)
        if failure.status.code >= 500, failure.status != .notImplemented {
            logger.error("\(request.method) failed", metadata: ["error": "\(failure.error)", "cause": "\(error)"])
        }
        // Half an answer cannot be taken back: the connection ends, which tells the client that it was cut.
        guard !response.hasBegun else { throw error }
        try await response.sendJSON(failure.status, headers: failure.headers, body: failure.body)
    }

    private static let commonHeaders: HTTPFields = [
        .server: "Godwit/\(godwitVersion)", .cacheControl: "must-revalidate",
    ]

    private static func isLoopback(_ channel: any Channel) -> Bool {
        guard let address = channel.remoteAddress?.ipAddress else { return false }
        return address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
    }

    private static func isLoopbackName(_ authority: String?) -> Bool {
        guard let authority else { return false }
        let host =
            authority.hasPrefix("[")
            ? String(authority.prefix { $0 != "]" }) + "]" : String(authority.prefix { $0 != ":" })
        return ["127.0.0.1", "localhost", "[::1]"].contains(host.lowercased())
    }
}

extension HTTPFailure {
    static func methodNotAllowed(_ methods: [HTTPRequest.Method]) -> HTTPFailure {
        let list = methods.map(\.rawValue).joined(separator: ",")
        var failure = HTTPFailure(.methodNotAllowed, "method_not_allowed", "Only \(list) allowed")
        failure.headers[.allow] = list
        return failure
    }
}
