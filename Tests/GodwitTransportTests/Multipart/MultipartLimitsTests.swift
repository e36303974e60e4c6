//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitTransport

@Suite("The limits of multipart bodies")
struct LimitsTests {
    @Test("Headers up to the limit are read, one byte more is refused")
    func headers() {
        var limits = MultipartLimits()
        limits.headerBytesMax = 12
        let fits = "--b\r\nA: 1\r\nB:\r\n\r\nx\r\n--b\r\nAB: 345\r\n\r\n\r\n--b--"
        let above = "--b\r\nA: 1\r\nBC:\r\n\r\nx\r\n--b--"
        let endless = "--b\r\nAAAAAAAAAAAA"
        expect(fits, limits: limits, nil)
        expect(above, limits: limits, .headersTooLarge)
        expect(endless, limits: limits, .headersTooLarge)
    }

    @Test("Parts up to the limit are read, one more is refused")
    func parts() {
        var limits = MultipartLimits()
        limits.partsMax = 2
        expect("--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b--", limits: limits, nil)
        expect("--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b--", limits: limits, .tooManyParts)
    }

    @Test("A preamble up to the limit is skipped, one byte more is refused")
    func preamble() {
        var limits = MultipartLimits()
        limits.preambleBytesMax = 5
        expect("12345\r\n--b--", limits: limits, nil)
        expect("123456\r\n--b--", limits: limits, .preambleTooLarge)
        expect("123456", limits: limits, .preambleTooLarge)
    }

    @Test("An error contains no part of the body")
    func messages() {
        for (text, code) in Bodies.bad + [("--b\r\nSecret\r\n", "malformedHeader"), ("Secret", "incomplete")] {
            let message = outcome(of: text).failure?.description ?? ""
            #expect(message.hasPrefix(code) && !message.contains("Secret"))
        }
    }

    private func expect(_ text: String, limits: MultipartLimits, _ code: MultipartError.Code?) {
        let whole = outcome(of: text, limits: limits)
        #expect(whole.failure?.code == code)
        #expect(outcome(of: text.utf8.map { [$0] }, boundary: "b", limits: limits) == whole)
    }
}
