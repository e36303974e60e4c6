//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitServer

@Suite struct LoginGuardTests {
    @Test("issue 21, number 3: a table that is full of invented names removes no lock and locks no other user out")
    func fullTable() {
        let logins = LoginGuard()
        for _ in 0..<LoginGuard.failuresMax { _ = logins.failed("ann", from: "192.0.2.1") }
        // More failures than entries and buckets, all from a few addresses.
        for number in 0..<(FailureTable.entriesMax + 2 * FailureTable.bucketsMax) {
            _ = logins.failed("invented\(number)", from: "198.51.100.\(number % 4)")
        }
        #expect(!logins.allows("ann", from: "192.0.2.1"))
        #expect(!logins.allows("somebody", from: "198.51.100.1"), "new names of a full table's address are one name")
        // A few addresses share a bucket with one of the four by chance.
        let others = (0..<200).count { logins.allows("ben", from: "203.0.113.\($0)") }
        #expect(others >= 190)
    }

    @Test("issue 21, number 3: failures from the same network do not lock out a known client")
    func provedPassword() {
        let logins = LoginGuard()
        for _ in 0..<LoginGuard.failuresMax { _ = logins.failed("ann", from: "192.0.2.1") }
        #expect(!logins.allows("ann", from: "192.0.2.1"))
        #expect(logins.allows("ann", from: "192.0.2.1", proved: "192.0.2.1"))
        #expect(!logins.allows("ann", from: "192.0.2.1", proved: "192.0.2.2"), "proved elsewhere")
        #expect(logins.allows("ann", from: "192.0.2.2", proved: "192.0.2.2"))
    }

    @Test("a lock also stops guessing where the password was verified before")
    func guessingWhileLocked() {
        let logins = LoginGuard()
        for _ in 0..<LoginGuard.failuresMax { _ = logins.failed("ann", from: "192.0.2.1") }
        for _ in LoginGuard.failuresMax..<LoginGuard.failuresOfProvedMax { logins.refused("ann", from: "192.0.2.1") }
        #expect(!logins.allows("ann", from: "192.0.2.1", proved: "192.0.2.1"))
        logins.succeeded("ann", from: "192.0.2.1")
        #expect(logins.allows("ann", from: "192.0.2.1"))
    }

    @Test("an IPv6 client is its network of 64 bits")
    func networks() {
        let logins = LoginGuard()
        for number in 1...LoginGuard.failuresMax { _ = logins.failed("ann", from: "2001:db8::\(number)") }
        #expect(!logins.allows("ann", from: "2001:db8::ffff"))
        #expect(logins.allows("ann", from: "2001:db8:0:1::1"))
    }
}
