//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Makes readings of the sentences of a receiver: NMEA 0183, `RMC`, `GGA` and `GSA` of any talker.
///
/// `RMC` has the position and, alone of all, the date; `GGA` of the same time the dilution, else the last `GSA`. A reading
/// is given once both are there, in either order; where no `GGA` comes, when the next time begins. Accuracy is the
/// dilution times 5 m, or 5 m without one, as for ``GPXTrack``. Times at which a receiver says that it has no fix give none.
public struct NMEAReader: Sendable {
    /// What is known of one instant.
    private struct Epoch {
        let time: String
        var position: (latitude: Double, longitude: Double, timeMilliseconds: Int64)?
        var hasQuality = false
        var dilution: Double?
        var isDone = false
    }

    /// Lines so far that were none of NMEA's, had a wrong checksum or said what cannot be.
    public private(set) var skippedCount = 0

    private var epoch: Epoch?
    private var lastDilution: Double?

    private static let metersPerDilution = 5.0

    /// Creates a reader that knows nothing yet.
    public init() {}

    /// Takes a line, without its end.
    ///
    /// - Returns: A reading that is complete now.
    public mutating func take(_ line: some Collection<UInt8>) -> Fix? {
        guard let sentence = NMEASentence(line) else {
            skippedCount += line.isEmpty ? 0 : 1
            return nil
        }
        switch sentence.kind {
        case "RMC": return takePosition(sentence)
        case "GGA": return takeQuality(sentence)
        case "GSA":
            lastDilution = Double(sentence.field(15))
            return nil
        default: return nil
        }
    }

    /// The reading that was still waited with; for when there are no more lines.
    public mutating func end() -> Fix? {
        defer { epoch = nil }
        return epoch.flatMap { finished($0) }
    }

    private mutating func takePosition(_ sentence: NMEASentence) -> Fix? {
        let earlier = begin(String(sentence.field(0)))
        // `V` is a warning, `N` in the mode of newer sentences no fix.
        guard sentence.field(1) == "A", sentence.field(11) != "N" else {
            epoch?.isDone = true
            return earlier
        }
        guard let latitude = sentence.degrees(2, degreesMax: 90), let longitude = sentence.degrees(4, degreesMax: 180),
            let time = NMEAReader.milliseconds(time: sentence.field(0), date: sentence.field(8))
        else {
            skippedCount += 1
            return earlier
        }
        epoch?.position = (latitude, longitude, time)
        return earlier ?? complete()
    }

    private mutating func takeQuality(_ sentence: NMEASentence) -> Fix? {
        let earlier = begin(String(sentence.field(0)))
        guard let quality = Int(sentence.field(5)) else {
            skippedCount += 1
            return earlier
        }
        guard quality > 0 else {
            epoch?.isDone = true
            return earlier
        }
        epoch?.hasQuality = true
        epoch?.dilution = Double(sentence.field(7))
        return earlier ?? complete()
    }

    /// Begins the instant of a sentence, unless it is the one that is under way.
    ///
    /// - Returns: The reading of the instant before, which nothing more will be said of.
    private mutating func begin(_ time: String) -> Fix? {
        guard epoch?.time != time else { return nil }
        defer { epoch = Epoch(time: time) }
        return epoch.flatMap { finished($0) }
    }

    /// The reading, when both sentences were there.
    private mutating func complete() -> Fix? {
        guard let epoch, epoch.hasQuality, let fix = finished(epoch) else { return nil }
        self.epoch?.isDone = true
        return fix
    }

    private func finished(_ epoch: Epoch) -> Fix? {
        guard !epoch.isDone, let position = epoch.position else { return nil }
        return Fix(
            latitude: position.latitude, longitude: position.longitude, timeMilliseconds: position.timeMilliseconds,
            accuracyMeters: (epoch.dilution ?? lastDilution ?? 1) * NMEAReader.metersPerDilution)
    }

    /// The first year that two digits stand for: the start of GPS time.
    private static let firstYear = 1980

    /// The instant of `hhmmss.sss` and `ddmmyy`, in milliseconds since 1970.
    private static func milliseconds(time: Substring, date: Substring) -> Int64? {
        guard date.utf8.count == 6, time.utf8.count >= 6, let shortYear = Int(date.suffix(2)) else { return nil }
        let year = shortYear < firstYear % 100 ? 2_000 + shortYear : 1_900 + shortYear
        let (day, month) = (date.prefix(2), date.dropFirst(2).prefix(2))
        let (hour, minute, second) = (time.prefix(2), time.dropFirst(2).prefix(2), time.dropFirst(4))
        return Timestamp.milliseconds("\(year)-\(month)-\(day)T\(hour):\(minute):\(second)Z")
    }
}
