//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitServer

@Suite("What the process uses")
struct ProcessUseTests {
    @Test("The peak of memory is not below what is in use, although the system sets its mark behind time")
    func peak() {
        let behind = ProcessUse(cpuSeconds: 1, peakBytes: 100, residentBytes: 120)
        #expect((behind.peakBytes, behind.residentBytes) == (120, 120))
        let past = ProcessUse(cpuSeconds: 1, peakBytes: 200, residentBytes: 120)
        #expect((past.peakBytes, past.residentBytes) == (200, 120))
        let now = ProcessUse.now
        #expect(now.peakBytes >= now.residentBytes && now.residentBytes > 0)
    }
}
