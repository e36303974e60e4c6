//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import Foundation
import LocationTrackerClient
import Testing

@Suite("Receivers of NMEA 0183")
struct NMEATests {
    /// Returns a sentence with its checksum.
    private func sentence(_ body: String) -> String {
        let checksum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return "$\(body)*\(checksum.count < 2 ? "0" : "")\(checksum)"
    }

    private func rmc(_ time: String, status: String = "A", date: String = "230394", talker: String = "GP") -> String {
        sentence("\(talker)RMC,\(time),\(status),4807.038,N,01131.000,W,022.4,084.4,\(date),003.1,W,A")
    }

    private func gga(_ time: String, quality: Int = 1, dilution: String = "0.9") -> String {
        sentence("GPGGA,\(time),4807.038,N,01131.000,W,\(quality),08,\(dilution),545.4,M,46.9,M,,")
    }

    private func read(_ lines: [String]) -> (fixes: [Fix], skipped: Int) {
        var reader = NMEAReader()
        var fixes = lines.flatMap { reader.take(Array($0.utf8)) }
        if let last = reader.end() { fixes.append(last) }
        return (fixes, reader.skippedCount)
    }

    @Test("A reading consists of both sentences of the same time, in either order")
    func order() throws {
        for lines in [[rmc("123519"), gga("123519")], [gga("123519"), rmc("123519")]] {
            var reader = NMEAReader()
            let (first, second) = (reader.take(Array(lines[0].utf8)), reader.take(Array(lines[1].utf8)))
            #expect(first.isEmpty && second.count == 1)
            let fix = try #require(second.first)
            #expect(abs(fix.latitude - 48.1173) < 1e-9 && abs(fix.longitude + 11.516_666_666_7) < 1e-9)
            #expect(fix.accuracyMeters == 4.5)
            #expect(fix.timeMilliseconds == 764_426_119_000)
            let extraFix = reader.end()
            #expect(extraFix == nil)
        }
    }

    @Test("Without GGA, a reading is complete at the next time or at the end, with the accuracy of the last GSA")
    func positionsAlone() {
        let gsa = sentence("GNGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1")
        let (fixes, skipped) = read([rmc("123519.00"), gsa, rmc("123520.25", talker: "GN")])
        #expect(fixes.map(\.timeMilliseconds) == [764_426_119_000, 764_426_120_250])
        #expect(fixes.map(\.accuracyMeters) == [6.5, 6.5] && skipped == 0)
    }

    @Test("Each time gives one reading, also if several talkers send it")
    func twice() {
        #expect(read([rmc("123519"), gga("123519"), rmc("123519", talker: "GL"), gga("123519")]).fixes.count == 1)
    }

    @Test("A receiver without a fix gives no readings")
    func noFix() {
        #expect(read([rmc("123519", status: "V"), gga("123519")]).fixes.isEmpty)
        #expect(read([rmc("123519"), gga("123519", quality: 0)]).fixes.isEmpty)
        #expect(read([gga("123519")]).fixes.isEmpty)
        #expect(read([sentence("GPRMC,,V,,,,,,,,,,N"), sentence("GPGGA,,,,,,0,,,,,,,,")]).skipped == 0)
    }

    @Test("The latitude 0 and the longitude 0 are no position, also if the receiver calls them valid")
    func nullIsland() {
        let zeros = ["0000.000,N,00000.000,E", "0000.0000,S,00000.0000,W", "0000.00,N,00000.00,W"]
        for (second, zero) in zeros.enumerated() {
            let time = "12351\(second)"
            let lines = [
                sentence("GPRMC,\(time),A,\(zero),0.0,0.0,230394,,,A"),
                sentence("GPGGA,\(time),\(zero),1,08,0.9,0,M,0,M,,"),
            ]
            #expect(read(lines) == ([], 0) && read(lines.reversed()) == ([], 0))
            // The next reading with a position is not affected.
            #expect(read(lines + [rmc("123520"), gga("123520")]).fixes.map(\.timeMilliseconds) == [764_426_120_000])
        }
        // A position on the equator or on the meridian of Greenwich is a position.
        let equator = read([sentence("GPRMC,123519,A,0000.000,N,00900.000,E,,,230394,,,A")]).fixes
        #expect(equator.map(\.latitude) == [0] && equator.map(\.longitude) == [9])
        let meridian = read([sentence("GPRMC,123519,A,5128.800,N,00000.000,E,,,230394,,,A")]).fixes
        #expect(meridian.map(\.longitude) == [0] && meridian.count == 1)
    }

    @Test("Two sentences in one line are both read, also with garbage before, between and after them")
    func joinedLines() {
        let (first, second) = (rmc("123519") + gga("123519"), rmc("123520") + gga("123520"))
        let times: [Int64] = [764_426_119_000, 764_426_120_000]
        #expect(read([first, second]).fixes.map(\.timeMilliseconds) == times)
        #expect(read([first + second]).fixes.map(\.timeMilliseconds) == times && read([first + second]).skipped == 0)
        #expect(read(["\u{0}07.038,N*1F\r" + first + " \r\t" + second + "\r"]).fixes.count == 2)
        // A reading of the time before and two of the line, in order.
        let three = read([rmc("123518"), first + second]).fixes
        #expect(three.map(\.timeMilliseconds) == [764_426_118_000] + times)
    }

    @Test("A sentence that is cut off by the next one is skipped and counted; the next one is read")
    func cutOff() {
        let (fixes, skipped) = read([
            String(rmc("123519").prefix(20)) + rmc("123520") + "$GPGG" + gga("123520") + "$GPRM"
        ])
        #expect(fixes.map(\.timeMilliseconds) == [764_426_120_000] && skipped == 3)
        // The characters that start sentences may occur in a text.
        #expect(read([sentence("GPTXT,01,01,02,OK! $5") + rmc("123519")]).skipped == 0)
        #expect(read([String(repeating: "$", count: 5_000) + rmc("123519")]).fixes.count == 1)
    }

    @Test("Years of two digits are read as GPS time")
    func years() {
        #expect(read([rmc("000000", date: "060180")]).fixes.first?.timeMilliseconds == 315_964_800_000)
        #expect(read([rmc("000000", date: "311279")]).fixes.first?.timeMilliseconds == 3_471_206_400_000)
    }

    @Test(
        "Lines that are not sentences, or have impossible values, are skipped and counted",
        arguments: [
            "$GPRMC,123519,A,4807.038,N,01131.000,W,022.4,084.4,230394,003.1,W,A*00",
            "$GPRMC,123519,A,4807.038,N,01131.000,W,022.4,084.4,230394,003.1,W,A", "garbage", "$", "$*00", "$GPRMC*4",
        ])
    func damaged(_ line: String) {
        let (fixes, skipped) = read([line, rmc("123520"), gga("123520")])
        #expect(fixes.count == 1 && skipped == 1)
    }

    @Test(
        "Impossible positions and times are skipped",
        arguments: [
            "GPRMC,123519,A,9107.038,N,01131.000,W,,,230394,,,A", "GPRMC,123519,A,4860.000,N,01131.000,W,,,230394,,,A",
            "GPRMC,123519,A,4807.038,E,01131.000,W,,,230394,,,A", "GPRMC,123519,A,4807.038,N,18131.000,W,,,230394,,,A",
            "GPRMC,253519,A,4807.038,N,01131.000,W,,,230394,,,A", "GPRMC,123519,A,4807.038,N,01131.000,W,,,320394,,,A",
            "GPRMC,123519,A,,,,,,,230394,,,A", "GPRMC,123519,A",
        ])
    func impossible(_ body: String) {
        let (fixes, skipped) = read([sentence(body)])
        #expect(fixes.isEmpty && skipped == 1)
    }

    @Test("A checksum consists of two hexadecimal digits, without a sign")
    func signedChecksum() {
        let line = rmc("123510", talker: "GN")
        #expect(line.hasSuffix("*02"))
        #expect(read([line]).fixes.count == 1)
        let signed = read(["\(line.dropLast(2))+\(line.suffix(1))"])
        #expect(signed.fixes.isEmpty && signed.skipped == 1)
    }

    @Test("Text before a sentence and sentences of other types are ignored")
    func others() {
        let lines = [
            "\\s:a*00\\" + rmc("123519"), sentence("GPGSV,2,1,08"), sentence("PUBX,00,1"), gga("123519"), "",
        ]
        let (fixes, skipped) = read(lines)
        #expect(fixes.count == 1 && skipped == 0)
    }

    @Test("A file with any line endings, and the number of skipped lines")
    func file() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/log.nmea"
        let text = rmc("123519") + "\r\n" + gga("123519") + "\nnoise\n" + rmc("123525") + "\r\n" + gga("123525")
        try Data(text.utf8).write(to: URL(filePath: path))
        let source = NMEASource(path: path)
        var times: [Int64] = []
        for try await fix in source.fixes() { times.append(fix.timeMilliseconds) }
        #expect(times == [764_426_119_000, 764_426_125_000])
        #expect(source.skippedCount == 1)
    }

    @Test("The error for a missing file names it")
    func missing() async {
        let error = await #expect(throws: DeviceError.self) {
            for try await _ in NMEASource(path: "/nowhere/log.nmea").fixes() {}
        }
        #expect(error?.code == .input && error?.message.contains("/nowhere/log.nmea") == true)
    }
}
