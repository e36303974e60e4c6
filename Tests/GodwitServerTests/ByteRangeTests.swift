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
        "Requested ranges",
        arguments: [
            (nil, nil), ("bytes=0-3", [0..<4]), ("bytes=2-", [2..<10]), ("bytes=-3", [7..<10]),
            ("bytes=-99", [0..<10]), ("bytes=8-99", [8..<10]), ("items=0-1", nil),
            ("bytes=x-", nil),
            ("bytes=0-1,3-4", [0..<2, 3..<5]), ("bytes=-1, 0-0 ,2-", [9..<10, 0..<1, 2..<10]),
            ("bytes=0-", nil), ("bytes=0-,0-,0-", nil), ("bytes=3-4, 0-", nil),
            ("bytes=0-1,30-40", [0..<2]), ("bytes=0-1,x", nil), ("bytes=0-1,", nil),
            ("bytes=" + Array(repeating: "0-0", count: 9).joined(separator: ","), Array(repeating: 0..<1, count: 9)),
            ("bytes=" + Array(repeating: "0-0", count: 10).joined(separator: ","), nil),
        ] as [(String?, [Range<Int>]?)])
    func ranges(_ header: String?, _ ranges: [Range<Int>]?) throws {
        #expect(try ByteRange.requested(header, length: 10) == ranges)
    }

    @Test(
        "Missing ranges, and ranges beyond the end",
        arguments: ["bytes=10-", "bytes=5-2", "bytes=10-12", "bytes=-0", "bytes=10-,-0"])
    func beyond(_ header: String) {
        let failure = #expect(throws: HTTPFailure.self) { try ByteRange.requested(header, length: 10) }
        #expect(failure?.status == .rangeNotSatisfiable)
    }
}
