//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import Testing

@testable import GodwitServer

@Suite("Ranges of bytes")
struct ByteRangeTests {
    @Test(
        "What is asked for",
        arguments: [
            (nil, nil), ("bytes=0-3", 0..<4), ("bytes=2-", 2..<10), ("bytes=-3", 7..<10), ("bytes=-99", 0..<10),
            ("bytes=8-99", 8..<10), ("bytes=5-2", nil), ("items=0-1", nil), ("bytes=0-1,3-4", nil), ("bytes=x-", nil),
        ] as [(String?, Range<Int>?)])
    func range(_ header: String?, _ range: Range<Int>?) throws {
        #expect(try ByteRange.requested(header, length: 10) == range)
    }

    @Test("Beyond the end", arguments: ["bytes=10-", "bytes=10-12", "bytes=-0"])
    func beyond(_ header: String) {
        let failure = #expect(throws: HTTPFailure.self) { try ByteRange.requested(header, length: 10) }
        #expect(failure?.status == .rangeNotSatisfiable)
    }
}
