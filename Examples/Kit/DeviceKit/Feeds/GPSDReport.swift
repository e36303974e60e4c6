//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// One line of JSON from `gpsd`; see gpsd_json(5).
enum GPSDReport: Equatable {
    /// A fix.
    case fix(Fix)
    /// The horizontal dilution of precision.
    case dilution(Double)
    /// Another report, or a fix without a time or a position.
    case other
    /// An error of `gpsd`, with its message.
    case failure(String)

    /// The accuracy, in meters, of a fix for which `gpsd` reports neither an estimate nor a dilution. If there is a
    /// dilution, it is multiplied by this number.
    private static let accuracyMetersUsual = 5.0

    /// Parses a line.
    ///
    /// - Parameters:
    ///   - line: The line, without its line break.
    ///   - dilution: The last reported dilution. It is used if the fix contains no estimate of its accuracy.
    /// - Returns: `nil` when the line is not a report of `gpsd`.
    init?(_ line: [UInt8], dilution: Double?) {
        guard let report = try? JSONValue(parsing: line), let kind = report["class"]?.stringValue else { return nil }
        switch kind {
        case "TPV": self = GPSDReport.fix(of: report, dilution: dilution).map(GPSDReport.fix) ?? .other
        case "SKY": self = report["hdop"]?.doubleValue.map(GPSDReport.dilution) ?? .other
        case "ERROR": self = .failure(report["message"]?.stringValue ?? "no reason was given")
        default: self = .other
        }
    }

    /// The smallest value of `mode` that means that the fix has a position.
    private static let modeMin = 2

    private static func fix(of report: JSONValue, dilution: Double?) -> Fix? {
        guard let mode = report["mode"]?.intValue, mode >= modeMin, let latitude = report["lat"]?.doubleValue,
            let longitude = report["lon"]?.doubleValue, (-90...90).contains(latitude), (-180...180).contains(longitude),
            !Fix.isPlaceholder(latitude: latitude, longitude: longitude),
            let time = report["time"]?.stringValue.flatMap(Timestamp.milliseconds)
        else { return nil }
        return Fix(
            latitude: latitude, longitude: longitude, timeMilliseconds: time,
            accuracyMeters: accuracyMeters(of: report) ?? (dilution ?? 1) * accuracyMetersUsual,
            altitudeMeters: report["altMSL"]?.doubleValue ?? report["alt"]?.doubleValue,
            courseDegrees: report["track"]?.doubleValue)
    }

    /// Returns the estimated accuracy. This is the horizontal error, if `gpsd` reports it. Otherwise, it is computed
    /// from the errors to the east and to the north. `nil` if `gpsd` does not report these errors either.
    private static func accuracyMeters(of report: JSONValue) -> Double? {
        if let error = report["eph"]?.doubleValue { return error }
        guard let east = report["epx"]?.doubleValue, let north = report["epy"]?.doubleValue else { return nil }
        return (east * east + north * north).squareRoot()
    }
}
