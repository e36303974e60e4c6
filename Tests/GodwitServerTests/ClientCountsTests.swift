//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOEmbedded
import Testing

@testable import GodwitServer

@Suite("Light requests in progress") struct ClientCountsTests {
    private let counts = ClientCounts()
    private let ann = Principal(name: "ann", roles: [], authentication: .basic)
    private let ben = Principal(name: "ben", roles: [], authentication: .basic)
    private let anonymous = Principal(name: nil, roles: [], authentication: nil)
    private let channel = EmbeddedChannel()

    @Test func aClientAloneIsNeverCrowding() {
        let begun = (0..<100).map { _ in counts.begin(ann, channel) }
        #expect(begun.allSatisfy { !$0.isCrowding })
        for request in begun { counts.end(request.counter) }
    }

    @Test("issue 54: beside others, the requests of a client after the eighth wait in its lane")
    func manyRequestsBesideAnother() {
        let other = counts.begin(ben, channel)
        let begun = (0..<20).map { _ in counts.begin(ann, channel) }
        #expect(begun.map(\.isCrowding) == (0..<20).map { $0 >= ClientCounts.togetherMax })
        #expect(!counts.begin(ben, channel).isCrowding, "the other client does not wait")
        for request in begun { counts.end(request.counter) }
        #expect(!counts.begin(ann, channel).isCrowding)
        counts.end(other.counter)
    }

    @Test func addressesOfOneNetworkAreOneClient() throws {
        let other = counts.begin(ben, channel)
        defer { counts.end(other.counter) }
        let channels = try (1...20).map { number in
            try self.channel(from: "2001:db8:1:2::\(number)")
        }
        let begun = channels.map { counts.begin(anonymous, $0).isCrowding }
        #expect(begun.count { $0 } == 20 - ClientCounts.togetherMax)
        #expect(!counts.begin(anonymous, try self.channel(from: "2001:db8:1:3::1")).isCrowding)
        #expect(!counts.begin(anonymous, try self.channel(from: "192.0.2.1")).isCrowding)
    }

    private func channel(from address: String) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
        return channel
    }
}
