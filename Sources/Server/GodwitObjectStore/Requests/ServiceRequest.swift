//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitTransport

/// A request to a service, before it is authorized.
struct ServiceRequest: Sendable {
    /// The method.
    var method: String
    /// The container; `nil` for the account.
    var container: String?
    /// The object; `nil` for the container.
    var name: String?
    /// The decoded names and values of the query.
    var query: [(name: String, value: String)] = []
    /// The headers, without those of the authorization.
    var headers: [(name: String, value: String)] = []
    /// The body.
    var body = TransportRequest.Body.none

    /// Creates a request without headers and body.
    init(_ method: String, _ container: String? = nil, _ name: String? = nil) {
        self.method = method
        self.container = container
        self.name = name
    }

    /// Whether the request can be sent again after a failure. This is the case under two conditions: sending it twice
    /// has the same effect as sending it once, and its body is in memory.
    var isRepeatable: Bool {
        if case .stream = body { return false }
        return ["GET", "HEAD", "PUT", "DELETE"].contains(method)
    }

    /// The request in words, for messages: the method and the object, without the query.
    var description: String {
        ([method] + [[container, name].compactMap(\.self).joined(separator: "/")].filter { !$0.isEmpty })
            .joined(separator: " ")
    }

    /// The maximum time until the response begins, in seconds.
    var secondsMax: Int {
        switch body {
        case .none: ServiceLimits.requestSecondsMax
        case .bytes, .stream: ServiceLimits.transferSecondsMax
        }
    }

    /// Returns this request in the form that a transport sends: with the URL below an address, and with further
    /// headers.
    func outgoing(
        to address: ServiceAddress, _ authorization: [(name: String, value: String)]
    ) -> TransportRequest {
        var request = TransportRequest(
            method: method, url: address.objectURL(container, name, query), secondsMax: secondsMax)
        request.headers = headers + authorization
        request.body = body
        // For these methods, servers require a declared length. An empty body has the length 0.
        if case .none = body, ["PUT", "POST"].contains(method) { request.body = .bytes([]) }
        return request
    }
}

/// The named limits of the clients of object storages.
enum ServiceLimits {
    /// The maximum time until the response to a request without a body begins, in seconds.
    static let requestSecondsMax = 300
    /// The maximum time until the response to a request with a body begins, in seconds. It is long because sending a
    /// large body takes time. If the connection breaks, the request fails earlier.
    static let transferSecondsMax = 86_400
    /// The maximum length of a response in memory, in bytes. The longest of these responses are pages of lists.
    static let responseBytesMax = 32 << 20
    /// The largest number of attempts of a repeatable request.
    static let attemptsMax = 3
    /// The wait before the second attempt, in seconds. Each further wait is four times as long.
    static let retrySeconds = 0.25
    /// A service can request a longer wait. This is the maximum of such a wait, in seconds.
    static let retrySecondsMax = 10.0
    /// The length of a piece of a file, in bytes.
    static let filePieceBytes = 256 << 10
    /// The largest number of entries of one page of a list.
    static let pageCountMax = 1_000
}
