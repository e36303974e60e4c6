//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The forms of times in the protocols.
enum ObjectTime {
    /// The current time in seconds since 1970.
    static var now: Int { Int(time(nil)) }

    /// A time as `2026-11-26T08:00:00.123Z`.
    static func iso(milliseconds: Int) -> String { "\(prefix(milliseconds)).\(digits(milliseconds % 1_000, 3))Z" }

    /// A time as `2026-11-26T08:00:00.123000`, as in Swift's lists.
    static func listed(milliseconds: Int) -> String { "\(prefix(milliseconds)).\(digits(milliseconds % 1_000, 3))000" }

    /// A time as `2026-11-26T08:00:00.000000Z`, as in Keystone's tokens.
    static func token(seconds: Int) -> String { "\(prefix(seconds * 1_000)).000000Z" }

    /// A time as `1796544000.12300`, as in Swift's headers.
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

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The seconds since 1970 of an HTTP date such as `Thu, 26 Nov 2026 08:00:00 GMT`; `nil` for another text.
    static func seconds(ofDate text: String) -> Int? {
        let words = text.split(separator: " ")
        guard words.count >= 5, let day = Int32(words[1]), let month = months.firstIndex(of: String(words[2])),
            let year = Int32(words[3]), 1_970...9_999 ~= year
        else { return nil }
        let clock = words[4].split(separator: ":").compactMap { Int32($0) }
        guard clock.count == 3 else { return nil }
        return seconds(year, Int32(month) + 1, day, clock[0], clock[1], clock[2])
    }

    /// The seconds since 1970 of an ISO date such as `2026-11-26T08:00:00Z` or with fractions; `nil` for another text.
    static func seconds(ofISO text: String) -> Int? {
        let numbers = text.split { !$0.isNumber }.compactMap { Int32($0) }
        guard text.hasSuffix("Z"), numbers.count >= 6, 1_970...9_999 ~= numbers[0] else { return nil }
        return seconds(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
    }

    private static func seconds(
        _ year: Int32, _ month: Int32, _ day: Int32, _ hour: Int32, _ minute: Int32, _ second: Int32
    ) -> Int? {
        guard 1...12 ~= month, 1...31 ~= day, 0...23 ~= hour, 0...59 ~= minute, 0...60 ~= second else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1_900, month - 1, day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
        return Int(timegm(&parts))
    }
}
