//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitBackend

@Suite("Requests from one address")
struct RateLimitTests {
    @Test("Limits are separate for each address and each application")
    func count() {
        let limit = RateLimit()
        for address in ["192.0.2.1", "192.0.2.2", "2001:db8:0:1::1"] {
            for _ in 0..<3 { #expect(limit.count(in: "app", from: address, countMax: 3)) }
            #expect(!limit.count(in: "app", from: address, countMax: 3))
        }
        #expect(limit.count(in: "other", from: "192.0.2.1", countMax: 3))
    }

    @Test("Clients whose names differ only in their bytes are two clients")
    func equivalentClients() {
        let limit = RateLimit()
        #expect(limit.count("\u{E9}", countMax: 1) && limit.count("e\u{301}", countMax: 1))
        #expect(!limit.count("\u{E9}", countMax: 1) && !limit.isBelow("e\u{301}", countMax: 1))
    }

    @Test("An IPv6 network of 64 bits is one client")
    func networks() {
        let limit = RateLimit()
        for host in 1...3 { #expect(limit.count(in: "app", from: "2001:db8:0:1::\(host)", countMax: 3)) }
        #expect(!limit.count(in: "app", from: "2001:db8:0:1:ffff::9", countMax: 3))
        #expect(limit.count(in: "app", from: "2001:db8:0:2::1", countMax: 3))
    }
}
