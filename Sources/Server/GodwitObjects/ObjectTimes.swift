//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore

/// The forms of times in the protocols.
enum ObjectTime {
    /// The current time in seconds since 1970.
    static var now: Int { ServiceTime.now }

    /// Returns a time as `2026-11-26T08:00:00.123Z`.
    static func iso(milliseconds: Int) -> String { "\(prefix(milliseconds)).\(digits(milliseconds % 1_000, 3))Z" }

    /// Returns a time as `2026-11-26T08:00:00.123000`, as in Swift's lists.
    static func listed(milliseconds: Int) -> String { "\(prefix(milliseconds)).\(digits(milliseconds % 1_000, 3))000" }

    /// Returns a time as `2026-11-26T08:00:00.000000Z`, as in Keystone's tokens.
    static func token(seconds: Int) -> String { "\(prefix(seconds.multipliedSaturated(by: 1_000))).000000Z" }

    /// Returns a time as `1796544000.12300`, as in Swift's headers.
    static func timestamp(milliseconds: Int) -> String {
        "\(milliseconds / 1_000).\(digits(milliseconds % 1_000, 3))00"
    }

    private static func prefix(_ milliseconds: Int) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return
            "\(digits(Int(parts.tm_year) + 1_900, 4))-\(digits(Int(parts.tm_mon) + 1, 2))-\(digits(Int(parts.tm_mday), 2))T"
            + "\(digits(Int(parts.tm_hour), 2)):\(digits(Int(parts.tm_min), 2)):\(digits(Int(parts.tm_sec), 2))"
    }

    private static func digits(_ value: Int, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    /// Returns the seconds since 1970 of an HTTP date such as `Thu, 26 Nov 2026 08:00:00 GMT`; `nil` for another text.
    static func seconds(ofDate text: String) -> Int? { ServiceTime.seconds(http: text).map { Int(saturating: $0) } }

    /// Returns the seconds since 1970 of an ISO date such as `2026-11-26T08:00:00Z`, with or without fractions of a
    /// second; `nil` for another text.
    static func seconds(ofISO text: String) -> Int? {
        text.ends(with: "Z") ? ServiceTime.seconds(iso: text).map { Int(saturating: $0) } : nil
    }
}
