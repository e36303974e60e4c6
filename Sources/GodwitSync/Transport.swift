//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One request to a peer.
package struct TransportRequest: Sendable {
    package var method: String
    package var url: String
    package var headers: [(name: String, value: String)] = []
    package var body: [UInt8]?
    /// The longest answer that is taken.
    package var responseBytesMax: Int
    /// How long it may take, in seconds.
    package var secondsMax: Int
}

/// What a peer answered.
package struct TransportResponse: Sendable {
    package let status: Int
    package let body: [UInt8]

    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// Carries requests to a peer. An app may bring its own, for example one over background sessions.
package protocol Transport: Sendable {
    /// Sends a request and gives the whole answer.
    ///
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/network`` when the peer cannot be reached,
    ///   ``ReplicationError/Code/tooLarge`` when the answer is above `responseBytesMax`.
    func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse
}
