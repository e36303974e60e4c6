//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore
import GodwitTransport

/// The formats of times in the responses and requests of object storages.
package enum ServiceTime {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    /// The seconds from the start of 1970 to the start of 2001. ``ISO8601`` counts from the start of 2001.
    private static let secondsTo2001 = 978_307_200.0

    /// The current time in seconds since 1970.
    package static var now: Int { Int(time(nil)) }

    /// Returns the seconds since 1970 of a time in ISO 8601, such as `2026-05-02T08:00:00.5Z`; `nil` for any other
    /// text. A time without a zone is in UTC. The lists of OpenStack Swift contain such times.
    package static func seconds(iso text: String) -> Double? {
        (ISO8601.seconds(text) ?? ISO8601.seconds("\(text)Z")).map { $0 + secondsTo2001 }
    }

    /// Returns the seconds since 1970 of a header's date, such as `Fri, 24 May 2013 00:00:00 GMT`; `nil` for any other
    /// text.
    package static func seconds(http text: String) -> Double? {
        let parts = text.pieces(at: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = Self.months.firstIndex(of: String(parts[2])) else {
            return nil
        }
        return seconds(iso: "\(parts[3])-\(twoDigits(month + 1))-\(parts[1])T\(parts[4])Z")
    }

    /// Returns the seconds since 1970 of a time such as `20130524T000000Z`; `nil` for any other text.
    static func seconds(basic text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 16, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z") else { return nil }
        let part = { (range: Range<Int>) in String(decoding: bytes[range], as: UTF8.self) }
        let day = "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))"
        let clock = "\(part(9..<11)):\(part(11..<13)):\(part(13..<15))"
        return ISO8601.seconds("\(day)T\(clock)Z").map { Int(saturating: $0 + secondsTo2001) }
    }

    /// Returns a time such as `20130524T000000Z`.
    ///
    /// - Parameter seconds: Seconds since 1970; not negative.
    static func basicText(_ seconds: Int) -> String {
        // The components come from the form of a date in an HTTP header: day of the week, day, month, year, time of
        // day.
        let parts = HTTPDate.text(seconds).pieces(at: " ")
        let month = (Self.months.firstIndex(of: String(parts[2])) ?? 0) + 1
        return "\(parts[3])\(twoDigits(month))\(parts[1])T\(parts[4].filter { $0 != ":" })Z"
    }

    private static func twoDigits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
}
