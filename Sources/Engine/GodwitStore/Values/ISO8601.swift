//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Foundation's formatters keep only milliseconds. A date is a double of seconds since 2001 and must be restored
// exactly. The shortest decimal digits of the double identify it. 2001 began at a full second, so the digits before the
// decimal point are the seconds of the time, and the digits after it are the fraction of the second. For a time before
// 2001, the complement of the fraction is used: -0.25 is the previous second plus 0.75.

/// Formats and parses times in ISO 8601, such as `2026-05-02T08:00:00.5Z`.
///
/// The days of a date are computed as in Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms".
package enum ISO8601 {
    /// The years 0 to 9999, in seconds since 2001.
    private static let secondsRange = seconds(ofYear: 0)..<seconds(ofYear: 10_000)
    private static let secondsPerDay = 86_400
    /// The number of days from 0000-03-01, where the count of days starts, to 2001-01-01.
    private static let epochDays = 730_791

    /// Formats a time in UTC with as many fractional digits as are needed to restore the same double.
    ///
    /// - Parameter seconds: Seconds since the start of 2001 in UTC.
    /// - Returns: The text; `nil` outside of the years 0 to 9999.
    static func text(_ seconds: Double) -> String? {
        guard secondsRange.contains(seconds) else { return nil }
        var (integerPart, fraction) = digits(of: seconds.magnitude)
        if seconds < 0 {
            integerPart = fraction.isEmpty ? -integerPart : -integerPart - 1
            fraction = complement(fraction)
        }
        let (days, second) = flooredDivision(integerPart, by: secondsPerDay)
        let date = civil(days)
        var text: [UInt8] = []
        append(date.year, digits: 4, before: "-", to: &text)
        append(date.month, digits: 2, before: "-", to: &text)
        append(date.day, digits: 2, before: "T", to: &text)
        append(second / 3_600, digits: 2, before: ":", to: &text)
        append(second / 60 % 60, digits: 2, before: ":", to: &text)
        append(second % 60, digits: 2, before: fraction.isEmpty ? "Z" : ".", to: &text)
        if !fraction.isEmpty { text += fraction + [UInt8(ascii: "Z")] }
        return String(decoding: text, as: UTF8.self)
    }

    /// Parses a date and time with seconds, any number of fractional digits, and `Z` or an offset such as `+02:00`.
    ///
    /// - Returns: The nearest double of seconds since the start of 2001 in UTC; `nil` for any other text, and outside
    ///   of the years 0 to 9999.
    package static func seconds(_ text: String) -> Double? {
        guard var time = ISO8601Reader.read(text) else { return nil }
        let day = days(year: time.year, month: time.month, day: time.day)
        guard civil(day) == (time.year, time.month, time.day) else { return nil }
        var integerPart = day * secondsPerDay + time.secondOfDay
        while time.fraction.last == UInt8(ascii: "0") { time.fraction.removeLast() }
        let isBefore = integerPart < 0
        if isBefore, !time.fraction.isEmpty {
            integerPart += 1
            time.fraction = complement(time.fraction)
        }
        let fraction = String(decoding: time.fraction, as: UTF8.self)
        guard let magnitude = Double("\(integerPart.magnitude).\(fraction)0") else { return nil }
        let seconds = isBefore ? -magnitude : magnitude
        return secondsRange.contains(seconds) ? seconds : nil
    }

    /// The decimal digits of a double that is not negative, before and after the decimal point, without trailing zeros.
    private static func digits(of double: Double) -> (integerPart: Int, fraction: [UInt8]) {
        let text = double.description.utf8
        let parts = text.split(separator: UInt8(ascii: "e"))
        let mantissa = parts[0].split(separator: UInt8(ascii: "."))
        var integerPart = Array(mantissa[0])
        var fraction = mantissa.count > 1 && !mantissa[1].elementsEqual("0".utf8) ? Array(mantissa[1]) : []
        // If a number below 10^12 is written with an exponent, the exponent is negative, and one digit precedes the
        // decimal point.
        if parts.count > 1, let exponent = Int(String(decoding: parts[1], as: UTF8.self)) {
            fraction = Array(repeating: UInt8(ascii: "0"), count: -exponent - 1) + integerPart + fraction
            integerPart = []
        }
        return (integerPart.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }, fraction)
    }

    /// One minus a fraction whose last digit is not zero.
    private static func complement(_ fraction: [UInt8]) -> [UInt8] {
        guard let last = fraction.last else { return [] }
        let nines = fraction.dropLast().map { UInt8(ascii: "9") - $0 + UInt8(ascii: "0") }
        return nines + [UInt8(ascii: "9") + 1 - last + UInt8(ascii: "0")]
    }

    private static func seconds(ofYear year: Int) -> Double {
        Double(days(year: year, month: 1, day: 1) * secondsPerDay)
    }

    /// The number of a day; 0 is 2001-01-01. If the day is greater than the length of the month, the result is a day of
    /// the next month.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let (era, yearOfEra) = flooredDivision(marchYear, by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - epochDays
    }

    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = flooredDivision(days + epochDays, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    private static func flooredDivision(_ number: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func append(_ number: Int, digits: Int, before separator: Unicode.Scalar, to text: inout [UInt8]) {
        var rest = number
        let start = text.count
        for _ in 0..<digits {
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        }
        text[start...].reverse()
        text.append(UInt8(ascii: separator))
    }
}
