//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitServer

@Suite("Memory and processor time of the process")
struct ProcessUseTests {
    @Test("The peak of memory is never below the current use, although the system updates it late")
    func peak() {
        let behind = ProcessUse(cpuSeconds: 1, peakBytes: 100, residentBytes: 120)
        #expect((behind.peakBytes, behind.residentBytes) == (120, 120))
        let past = ProcessUse(cpuSeconds: 1, peakBytes: 200, residentBytes: 120)
        #expect((past.peakBytes, past.residentBytes) == (200, 120))
        let now = ProcessUse.now
        #expect(now.peakBytes >= now.residentBytes && now.residentBytes > 0)
    }
}
