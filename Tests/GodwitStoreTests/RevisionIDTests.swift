//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitStore

@Suite("Revision ids")
struct RevisionIDTests {
    @Test(
        "A string survives a round trip",
        arguments: [
            "1-0123456789abcdef0123456789abcdef", "10-ffffffffffffffffffffffffffffffff", "1-a", "7-abc-def",
            "999999999999999-x", "3-00000000000000000000000000000000", "2-0123456789abcdef0123456789abcde",
            "2-0123456789abcdef0123456789abcdefg", "1-~!#",
        ])
    func roundTrip(text: String) throws {
        let revision = try revision(text)
        #expect(revision.description == text)
        #expect(revision.description == "\(revision.generation)-\(revision.hashText)")
        let decoded = try revision.encoded.withUnsafeBytes { bytes throws(StoreError) in
            try RevisionID(decoding: bytes)
        }
        #expect(decoded == revision)
    }

    @Test("A 128-bit hash is the same revision in upper and lower case")
    func hexadecimalCase() throws {
        let upper = try revision("1-0123456789ABCDEF0123456789ABCDEF")
        #expect(try upper == revision("1-0123456789abcdef0123456789abcdef"))
        #expect(try revision("1-A") != revision("1-a"))
    }

    @Test(
        "Other strings are refused",
        arguments: [
            "", "-", "1", "-a", "-1-a", "+1-a", "a-1", "1 -a", "1- a", "1-a\"", "1-a\\", "1-é",
            "1-a\u{7f}",
            "1-\n", "１-a", "1000000000000000-a", "1.0-a",
        ])
    func refused(text: String) {
        #expect(RevisionID(text) == nil)
    }

    @Test("As in CouchDB, a string may name a revision that no document has", arguments: ["1-", "0-a", "0-"])
    func unstorable(text: String) throws {
        #expect(try !revision(text).isStorable)
        #expect(try revision(text).description == text)
    }

    @Test("Revisions ascend by generation as a number, then by the bytes of the hash")
    func order() throws {
        let ascending = try [
            "2-a", "2-aa", "2-b", "9-x", "10-a", "10-b", "11-00000000000000000000000000000000",
            "11-00000000000000000000000000000001", "11-00000000000000010000000000000000",
            "11-A0", "11-41414141414141414141414141414141", "11-ff000000000000000000000000000000", "100-a",
        ].map { try revision($0) }
        for (left, lower) in ascending.enumerated() {
            for (right, upper) in ascending.enumerated() {
                #expect((lower < upper) == (left < right), "\(lower) \(upper)")
                #expect((lower == upper) == (left == right))
            }
        }
    }

    @Test("Damaged bytes throw and never trap")
    func damagedBlob() throws {
        let blobs: [[UInt8]] = [
            [], [1], [0, 0] + [UInt8](repeating: 1, count: 16), [1, 0] + [UInt8](repeating: 1, count: 15),
            [1, 5, 65], [0x80, 0x80], [UInt8](repeating: 0xff, count: 8) + [0x7f, 1, 65],
            [UInt8](repeating: 0xff, count: 12), [1] + [UInt8](repeating: 0xff, count: 8) + [0x7f, 65],
        ]
        for blob in blobs {
            let error = #expect(throws: StoreError.self) {
                try blob.withUnsafeBytes { bytes throws(StoreError) in try RevisionID(decoding: bytes) }
            }
            #expect(error?.code == .corrupt)
        }
    }
}
