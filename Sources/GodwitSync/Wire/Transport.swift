//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One request to a peer.
package struct TransportRequest: Sendable {
    /// What is sent.
    package enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// A body of known length, read as it is sent.
        case stream(any AsyncSequence<[UInt8], any Error> & Sendable, length: Int)
    }

    package var method: String
    package var url: String
    package var headers: [(name: String, value: String)] = []
    package var body = Body.none
    /// How long it may take until the answer begins, in seconds.
    package var secondsMax: Int

    package init(method: String, url: String, secondsMax: Int) {
        self.method = method
        self.url = url
        self.secondsMax = secondsMax
    }
}

/// What a peer answered: the head, and the body as it comes.
package struct TransportResponse: Sendable {
    package let status: Int
    package let headers: [(name: String, value: String)]
    package let body: any AsyncSequence<[UInt8], any Error> & Sendable

    package init(
        status: Int, headers: [(name: String, value: String)] = [],
        body: any AsyncSequence<[UInt8], any Error> & Sendable
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header of a name.
    package subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
}

/// Carries requests to a peer. An app may bring its own, for example one over background sessions.
package protocol Transport: Sendable {
    /// Sends a request and gives the answer once its head is there.
    ///
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/network`` when the peer cannot be reached or is
    ///   silent for too long. The body throws any error.
    func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse
}
