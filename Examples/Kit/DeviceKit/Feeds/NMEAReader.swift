//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Creates fixes, which are readings of the position, from the sentences of a receiver. The reader uses the sentences
/// `RMC`, `GGA` and `GSA` of NMEA 0183, of any talker.
///
/// The position and the date come from `RMC`, because only this sentence contains both. The dilution comes from the
/// `GGA` with the same time. If this sentence is missing or contains no dilution, the dilution comes from the last
/// `GSA`. A fix is complete when both `RMC` and `GGA` have arrived, in either order. If no `GGA` arrives, the fix is
/// complete when a sentence with another time arrives. The accuracy is the dilution times 5 m, as in ``GPXTrack``. If
/// there is no dilution, the accuracy is 5 m. If the receiver reports for a time that it has no fix, no fix is returned
/// for this time. Several receivers report the latitude 0 and the longitude 0 as valid while they have no fix, so this
/// position is treated as no fix.
public struct NMEAReader: Sendable {
    /// The data of one point in time.
    private struct Epoch {
        let time: String
        var position: (latitude: Double, longitude: Double, timeMilliseconds: Int64)?
        var hasQuality = false
        var dilution: Double?
        /// Whether nothing more is to be returned for this time, because its fix was returned or the receiver reported
        /// that it has no fix.
        var isDone = false
    }

    /// The number of lines, or of parts of lines, so far that were not NMEA sentences, had a wrong checksum or contained
    /// impossible values.
    public private(set) var skippedCount = 0

    private var epoch: Epoch?
    private var lastDilution: Double?

    private static let metersPerDilution = 5.0

    /// Creates a reader without data.
    public init() {}

    /// Processes a line, without its line break. A line usually has one sentence, but all its sentences are used.
    ///
    /// - Returns: The fixes that are complete after this line, in order. The first may have the time of the line before.
    ///   Empty if the line completes no fix.
    public mutating func take(_ line: some Collection<UInt8>) -> [Fix] {
        let (sentences, damagedCount) = NMEASentence.all(in: line)
        skippedCount += damagedCount
        return sentences.compactMap { take($0) }
    }

    private mutating func take(_ sentence: NMEASentence) -> Fix? {
        switch sentence.kind {
        case "RMC": return takePosition(sentence)
        case "GGA": return takeQuality(sentence)
        case "GSA":
            lastDilution = Double(sentence.field(15))
            return nil
        default: return nil
        }
    }

    /// Returns the fix of the last time; `nil` if it was returned already, or if this time has no fix. Call this method
    /// after the last line.
    public mutating func end() -> Fix? {
        defer { epoch = nil }
        return epoch.flatMap { makeFix($0) }
    }

    private mutating func takePosition(_ sentence: NMEASentence) -> Fix? {
        let previousFix = begin(String(sentence.field(0)))
        // In field 1, `A` means that the fix is valid, and `V` is a warning. Field 11 is the mode, which only newer
        // sentences contain: `N` means that there is no fix.
        guard sentence.field(1) == "A", sentence.field(11) != "N" else {
            epoch?.isDone = true
            return previousFix
        }
        guard let latitude = sentence.degrees(2, degreesMax: 90), let longitude = sentence.degrees(4, degreesMax: 180),
            let time = NMEAReader.milliseconds(time: sentence.field(0), date: sentence.field(8))
        else {
            skippedCount += 1
            return previousFix
        }
        guard !Fix.isPlaceholder(latitude: latitude, longitude: longitude) else {
            epoch?.isDone = true
            return previousFix
        }
        epoch?.position = (latitude, longitude, time)
        return previousFix ?? takeCompleteFix()
    }

    private mutating func takeQuality(_ sentence: NMEASentence) -> Fix? {
        let previousFix = begin(String(sentence.field(0)))
        guard let quality = Int(sentence.field(5)) else {
            skippedCount += 1
            return previousFix
        }
        guard quality > 0 else {
            epoch?.isDone = true
            return previousFix
        }
        epoch?.hasQuality = true
        epoch?.dilution = Double(sentence.field(7))
        return previousFix ?? takeCompleteFix()
    }

    /// Makes the time of a sentence the current time. Does nothing if it is already the current time.
    ///
    /// - Returns: The fix of the previous time. No more data is added to this fix.
    private mutating func begin(_ time: String) -> Fix? {
        guard epoch?.time != time else { return nil }
        defer { epoch = Epoch(time: time) }
        return epoch.flatMap { makeFix($0) }
    }

    /// Returns the fix of the current time if its `RMC` and its `GGA` have arrived.
    private mutating func takeCompleteFix() -> Fix? {
        guard let epoch, epoch.hasQuality, let fix = makeFix(epoch) else { return nil }
        self.epoch?.isDone = true
        return fix
    }

    private func makeFix(_ epoch: Epoch) -> Fix? {
        guard !epoch.isDone, let position = epoch.position else { return nil }
        return Fix(
            latitude: position.latitude, longitude: position.longitude, timeMilliseconds: position.timeMilliseconds,
            accuracyMeters: (epoch.dilution ?? lastDilution ?? 1) * NMEAReader.metersPerDilution)
    }

    /// Years have two digits. They are interpreted as years in the hundred years that begin with this year, in which
    /// GPS time began.
    private static let firstYear = 1980

    /// Returns the time of `hhmmss.sss` and `ddmmyy` in milliseconds since 1970.
    private static func milliseconds(time: Substring, date: Substring) -> Int64? {
        guard date.utf8.count == 6, time.utf8.count >= 6, let shortYear = Int(date.suffix(2)) else { return nil }
        let year = shortYear < firstYear % 100 ? 2_000 + shortYear : 1_900 + shortYear
        let (day, month) = (date.prefix(2), date.dropFirst(2).prefix(2))
        let (hour, minute, second) = (time.prefix(2), time.dropFirst(2).prefix(2), time.dropFirst(4))
        return Timestamp.milliseconds("\(year)-\(month)-\(day)T\(hour):\(minute):\(second)Z")
    }
}
