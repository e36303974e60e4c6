//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// What a `gpsd` says in one line of JSON; see gpsd_json(5).
enum GPSDReport: Equatable {
    /// A reading.
    case fix(Fix)
    /// How much the satellites' places dilute what is read, horizontally.
    case dilution(Double)
    /// Something that is no reading, among it one without a time or a place.
    case other
    /// It refuses what it was asked.
    case failure(String)

    /// Accuracy without any estimate, in metres, and for each unit of dilution.
    private static let accuracyMetersUsual = 5.0

    /// Reads a line.
    ///
    /// - Parameter dilution: The last one that was told, for readings without an estimate of their own.
    /// - Returns: `nil` for what is none of its lines.
    init?(_ line: [UInt8], dilution: Double?) {
        guard let report = try? JSONValue(parsing: line), let kind = report["class"]?.stringValue else { return nil }
        switch kind {
        case "TPV": self = GPSDReport.fix(of: report, dilution: dilution).map(GPSDReport.fix) ?? .other
        case "SKY": self = report["hdop"]?.doubleValue.map(GPSDReport.dilution) ?? .other
        case "ERROR": self = .failure(report["message"]?.stringValue ?? "no reason was given")
        default: self = .other
        }
    }

    /// The least of `mode` that has a place.
    private static let modeMin = 2

    private static func fix(of report: JSONValue, dilution: Double?) -> Fix? {
        guard let mode = report["mode"]?.intValue, mode >= modeMin, let latitude = report["lat"]?.doubleValue,
            let longitude = report["lon"]?.doubleValue, (-90...90).contains(latitude), (-180...180).contains(longitude),
            let time = report["time"]?.stringValue.flatMap(Timestamp.milliseconds)
        else { return nil }
        return Fix(
            latitude: latitude, longitude: longitude, timeMilliseconds: time,
            accuracyMeters: accuracyMeters(of: report) ?? (dilution ?? 1) * accuracyMetersUsual)
    }

    /// What it estimates itself: the error in the plane, else of both directions.
    private static func accuracyMeters(of report: JSONValue) -> Double? {
        if let error = report["eph"]?.doubleValue { return error }
        guard let east = report["epx"]?.doubleValue, let north = report["epy"]?.doubleValue else { return nil }
        return (east * east + north * north).squareRoot()
    }
}
