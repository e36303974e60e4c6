//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// A request to a server.
public struct TransportRequest: Sendable {
    /// The body of a request.
    public enum Body: Sendable {
        /// No body.
        case none
        /// A body in memory.
        case bytes([UInt8])
        /// A body of known length, which is read while it is sent.
        case stream(any AsyncSequence<[UInt8], any Error> & Sendable, length: Int)
    }

    /// The method, for example `GET`.
    public var method: String
    /// The complete URL, without credentials.
    public var url: String
    /// The headers, in order.
    public var headers: [(name: String, value: String)] = []
    /// The body.
    public var body = Body.none
    /// The maximum time until the response begins, in seconds. It does not limit the time for the body of the response.
    public var secondsMax: Int

    /// If a server sends no bytes for this number of seconds, the connection is treated as lost.
    public static let silenceSecondsMax = 90

    /// The longest time that a transport waits for a response, in seconds: one year. Longer times are shortened.
    package static let secondsLimit = 31_536_000

    /// Creates a request without headers and body.
    public init(method: String, url: String, secondsMax: Int) {
        self.method = method
        self.url = url
        self.secondsMax = secondsMax
    }

    /// Checks the host and port of the URL (``RemoteURL/checkAuthority(of:)``) and the headers. All transports check each
    /// request, because URLs and headers also come from stored documents and from the answers of other servers.
    ///
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/invalidURL`` or
    ///   ``ReplicationError/Code/invalidHeader``.
    package func check() throws(ReplicationError) {
        try RemoteURL.checkAuthority(of: url)
        for (name, value) in headers { try TransportRequest.checkHeader(name, value) }
    }

    /// Checks that a header can be sent: the name is a token of RFC 9110, and the value has no line break and no zero
    /// byte. The value may be a secret, so the message does not contain it.
    ///
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/invalidHeader``.
    package static func checkHeader(_ name: String, _ value: String) throws(ReplicationError) {
        guard !name.isEmpty, name.utf8.allSatisfy(\.isToken) else {
            throw ReplicationError(
                .invalidHeader, "the name of a header may contain only letters, digits and !#$%&'*+-.^_`|~")
        }
        guard !value.utf8.contains(where: { [0x00, 0x0A, 0x0D].contains($0) }) else {
            throw ReplicationError(
                .invalidHeader, "the value of the header \(name) contains a line break or a zero byte")
        }
    }
}

/// The response of a server: its head, and its body as it arrives.
public struct TransportResponse: Sendable {
    /// The status, for example 200.
    public let status: Int
    /// The headers, in order.
    public let headers: [(name: String, value: String)]
    /// The body in pieces, as they arrive. The request is cancelled when the iteration stops.
    public let body: any AsyncSequence<[UInt8], any Error> & Sendable

    /// Creates a response.
    public init(
        status: Int, headers: [(name: String, value: String)] = [],
        body: any AsyncSequence<[UInt8], any Error> & Sendable
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of the first header with a name; `nil` if there is none. Letters may be in upper or lower case.
    public subscript(name: String) -> String? {
        headers.first { $0.name.lowercased().isIdenticalText(to: name.lowercased()) }?.value
    }
}

/// Sends requests to servers. An app may implement its own transport.
///
/// A transport must not follow redirects, so that credentials reach no other host. It must not store cookies or
/// responses. If it decompresses a body, it must remove the header `Content-Encoding`.
public protocol Transport: Sendable {
    /// Sends a request and returns the response when its head has arrived.
    ///
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/network`` if the server cannot be reached or is
    ///   silent for too long, ``ReplicationError/Code/untrusted`` if its certificate cannot be verified,
    ///   ``ReplicationError/Code/cancelled`` if the task was cancelled, ``ReplicationError/Code/invalidURL`` if the URL
    ///   has no host or a port above 65535. The body of the response throws the same errors, or a ``TransportFailure``.
    func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse
}

/// The reason why a request failed or a response body ended early.
public struct TransportFailure: Error, CustomStringConvertible {
    /// The reason in words, such as `the connection was cut`. It contains neither the address nor credentials.
    public let description: String

    /// Whether the peer's certificate could not be verified.
    public let isUntrusted: Bool

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - description: The reason, as a text that can follow a colon.
    ///   - isUntrusted: Whether the peer's certificate could not be verified.
    public init(_ description: String, isUntrusted: Bool = false) {
        (self.description, self.isUntrusted) = (description, isUntrusted)
    }
}

extension ReplicationError {
    /// Creates the error for a request without a response.
    ///
    /// The message contains the URL without its query.
    public init(_ failure: TransportFailure, of request: TransportRequest) {
        let description = "\(request.method) \(request.url.prefix { $0 != "?" }): \(failure)."
        guard !failure.isUntrusted else {
            self.init(.untrusted, description)
            return
        }
        self.init(.network, "\(description) Check the address and the network; replicated documents are kept.")
    }
}
