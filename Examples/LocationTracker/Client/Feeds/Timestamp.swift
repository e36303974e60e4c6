//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The times that sources write.
enum Timestamp {
    private static let style = Date.ISO8601FormatStyle()
    /// How long the date and the time are before the fraction of a second: `2026-05-02T08:00:00`.
    private static let clockCount = 19

    /// A time of ISO 8601 with its offset or `Z`, in milliseconds since 1970; `nil` for anything else.
    static func milliseconds(_ text: String) -> Int64? {
        let clock = text.prefix(clockCount)
        // Foundation takes 30 February for 2 March; what it writes then is not what it read.
        guard let date = try? style.parse("\(clock)Z"), style.format(date) == "\(clock)Z" else { return nil }
        var rest = text.dropFirst(clockCount)
        var fraction = 0.0
        if rest.first == "." {
            let end = rest.dropFirst().firstIndex { !("0"..."9" ~= $0) } ?? rest.endIndex
            guard let number = Double("0\(rest[..<end])"), end > rest.index(after: rest.startIndex) else { return nil }
            (fraction, rest) = (number, rest[end...])
        }
        guard let offset = offsetSeconds(rest) else { return nil }
        return Int64(((date.timeIntervalSince1970 + fraction - offset) * 1_000).rounded())
    }

    /// How far a zone such as `Z` or `+02:00` is ahead of UTC.
    private static func offsetSeconds(_ zone: Substring) -> Double? {
        guard zone != "Z" else { return 0 }
        let parts = zone.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        guard zone.utf8.count == 6, parts.count == 2, let hours = UInt(parts[0]), let minutes = UInt(parts[1]),
            hours < 24,
            minutes < 60
        else { return nil }
        switch zone.first {
        case "+": return Double(hours * 3_600 + minutes * 60)
        case "-": return -Double(hours * 3_600 + minutes * 60)
        default: return nil
        }
    }
}
