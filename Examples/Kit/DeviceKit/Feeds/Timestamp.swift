//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Parses times of sources.
enum Timestamp {
    private static let style = Date.ISO8601FormatStyle()
    /// The length of the date and the time before the fraction of a second: `2026-05-02T08:00:00`.
    private static let clockCount = 19

    /// Returns an ISO 8601 time with its offset or `Z`, in milliseconds since 1970; `nil` for any other text.
    static func milliseconds(_ text: String) -> Int64? {
        let clock = text.prefix(clockCount)
        // Foundation accepts invalid dates: it parses 30 February as 2 March. Therefore the parsed date is formatted
        // again and compared with the text.
        guard let date = try? style.parse("\(clock)Z"), style.format(date) == "\(clock)Z" else { return nil }
        var remaining = text.dropFirst(clockCount)
        var fraction = 0.0
        if remaining.first == "." {
            let end = remaining.dropFirst().firstIndex { !("0"..."9" ~= $0) } ?? remaining.endIndex
            guard let number = Double("0\(remaining[..<end])"), end > remaining.index(after: remaining.startIndex)
            else { return nil }
            (fraction, remaining) = (number, remaining[end...])
        }
        guard let offset = offsetSeconds(remaining) else { return nil }
        return Int64(((date.timeIntervalSince1970 + fraction - offset) * 1_000).rounded())
    }

    /// Returns the offset of a zone such as `Z` or `+02:00` from UTC in seconds.
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
