//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The clock on the wall.
extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}

package enum WallClock {
    /// Whole seconds since 1970.
    package static var seconds: Int { Int(Date().timeIntervalSince1970) }

    /// Whole milliseconds since 1970.
    package static var milliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// Whole microseconds since 1970.
    static var microseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1_000_000) }

    /// A time in whole seconds since 1970 as headers have it (RFC 9110, section 5.6.7).
    static func httpDate(_ seconds: Int) -> String {
        let time = Date(timeIntervalSince1970: Double(seconds))
        let date = time.formatted(.iso8601).utf8.split { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) }.map(
            Substring.init)
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let (day, month) = (days[seconds / 86_400 % 7], months[(Int(date[1]) ?? 1) - 1])
        return "\(day), \(date[2]) \(month) \(date[0]) \(date[3]):\(date[4]):\(date[5]) GMT"
    }

    /// The time in the form of ISO 8601, to the second.
    static var text: String { Date.now.formatted(.iso8601) }
}
