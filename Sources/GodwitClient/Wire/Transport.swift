//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One request to a peer.
public struct TransportRequest: Sendable {
    /// What is sent.
    public enum Body: Sendable {
        /// No body.
        case none
        /// A body that is in memory.
        case bytes([UInt8])
        /// A body of known length, read as it is sent.
        case stream(any AsyncSequence<[UInt8], any Error> & Sendable, length: Int)
    }

    /// The method, for example `GET`.
    public var method: String
    /// The whole URL, without credentials.
    public var url: String
    /// The headers, in their order.
    public var headers: [(name: String, value: String)] = []
    /// What is sent after the head.
    public var body = Body.none
    /// How long it may take until the answer begins, in seconds.
    public var secondsMax: Int

    /// Creates a request without headers and body.
    public init(method: String, url: String, secondsMax: Int) {
        self.method = method
        self.url = url
        self.secondsMax = secondsMax
    }
}

/// What a peer answered: the head, and the body as it comes.
public struct TransportResponse: Sendable {
    /// The status, for example 200.
    public let status: Int
    /// The headers, in their order.
    public let headers: [(name: String, value: String)]
    /// The body, each piece as it comes. Who stops reading it ends the request.
    public let body: any AsyncSequence<[UInt8], any Error> & Sendable

    /// Creates an answer.
    public init(
        status: Int, headers: [(name: String, value: String)] = [],
        body: any AsyncSequence<[UInt8], any Error> & Sendable
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header of a name.
    public subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
}

/// Carries requests to a peer. An app may bring its own.
///
/// A transport follows no redirect and keeps no cookies and no answers: credentials go nowhere else, and every question is
/// asked anew. A body that it has unpacked has no header `Content-Encoding` any more.
public protocol Transport: Sendable {
    /// Sends a request and gives the answer once its head is there.
    ///
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/network`` when the peer cannot be reached or is
    ///   silent for too long. The body throws the same, or a ``TransportFailure``.
    func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse
}

/// Why a request or the body of an answer ended early.
public struct TransportFailure: Error, CustomStringConvertible {
    /// What happened, in words: `the connection was cut`. Without the address and without credentials.
    public let description: String

    /// Whether the peer's certificate could not be verified.
    public let isUntrusted: Bool

    /// Creates a failure from words that can stand after a colon.
    ///
    /// - Parameters:
    ///   - description: The words.
    ///   - isUntrusted: Whether the peer's certificate could not be verified.
    public init(_ description: String, isUntrusted: Bool = false) {
        (self.description, self.isUntrusted) = (description, isUntrusted)
    }
}

extension ReplicationError {
    /// The error of a request to which no answer came.
    ///
    /// The query of its URL is left out.
    public init(_ failure: TransportFailure, of request: TransportRequest) {
        let said = "\(request.method) \(request.url.prefix { $0 != "?" }): \(failure)."
        guard !failure.isUntrusted else {
            self.init(.untrusted, said)
            return
        }
        self.init(.network, "\(said) Check the address and the network; what was replicated is kept.")
    }
}
