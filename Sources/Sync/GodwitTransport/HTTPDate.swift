//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The date format of HTTP headers and of CouchDB's replication histories (RFC 9110, section 5.6.7).
package enum HTTPDate {
    /// The last second of the year 9999.
    private static let lastSecond = 253_402_300_799

    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Returns a time as a date in GMT.
    ///
    /// - Parameter seconds: Seconds since 1970. A time before 1970 or after the year 9999, which the form cannot
    ///   represent, is replaced by the nearest time that it can represent.
    package static func text(_ seconds: Int) -> String {
        let seconds = min(max(seconds, 0), lastSecond)
        let (day, time) = (seconds / 86_400, seconds % 86_400)
        // Years begin in March here, so that the leap day is the last day of a year. An era is 400 years: 146 097 days.
        // There are 719 468 days from 1 March of the year 0 to 1 January 1970.
        let (era, dayOfEra) = ((day + 719_468) / 146_097, (day + 719_468) % 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = (monthFromMarch + 2) % 12
        let year = era * 400 + yearOfEra + (month < 2 ? 1 : 0)
        let clock = [time / 3_600, time / 60 % 60, time % 60].map(twoDigits).joined(separator: ":")
        return "\(days[day % 7]), \(twoDigits(dayOfMonth)) \(months[month]) \(year) \(clock) GMT"
    }

    private static func twoDigits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
}
