//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import DeviceKit

@Suite("Lines from gpsd")
struct GPSDReportTests {
    private let positionMembers = #""class":"TPV","lat":1.5,"lon":-2.5,"time":"2026-01-01T00:00:00.500Z""#

    private func report(_ members: String, dilution: Double? = nil) -> GPSDReport? {
        GPSDReport(Array("{\(members)}".utf8), dilution: dilution)
    }

    private func accuracy(_ members: String, dilution: Double? = nil) -> Double? {
        guard case .fix(let fix) = report("\(positionMembers),\"mode\":3\(members)", dilution: dilution) else {
            return nil
        }
        #expect(fix.latitude == 1.5 && fix.longitude == -2.5 && fix.timeMilliseconds == 1_767_225_600_500)
        return fix.accuracyMeters
    }

    @Test(
        "The accuracy is gpsd's estimate, else derived from both directions, else from the dilution, else five meters")
    func accuracies() {
        #expect(accuracy(#","eph":19.5,"epx":3,"epy":4"#, dilution: 2) == 19.5)
        #expect(accuracy(#","epx":3,"epy":4"#, dilution: 2) == 5)
        #expect(accuracy("", dilution: 2) == 10)
        #expect(accuracy("") == 5)
    }

    @Test(
        "Reports without a position or a time are not readings",
        arguments: [
            #""class":"TPV","mode":1"#, #""class":"TPV","mode":3,"lat":1,"lon":2"#,
            #""class":"TPV","mode":3,"lat":0,"lon":0,"time":"2026-01-01T00:00:00Z""#,
            #""class":"TPV","mode":3,"lat":91,"lon":2,"time":"2026-01-01T00:00:00Z""#,
            #""class":"TPV","mode":3,"lat":1,"lon":2,"time":"yesterday""#, #""class":"DEVICES","devices":[]"#,
            #""class":"SKY""#,
        ])
    func noReadings(_ members: String) { #expect(report(members) == .other) }

    @Test("Dilution, errors, and lines that are not from gpsd")
    func others() {
        #expect(report(#""class":"SKY","hdop":1.2"#) == .dilution(1.2))
        #expect(report(#""class":"ERROR","message":"Unrecognized request""#) == .failure("Unrecognized request"))
        #expect(report(#""error":"not_found""#) == nil)
        #expect(GPSDReport(Array("SSH-2.0-OpenSSH".utf8), dilution: nil) == nil)
    }
}
