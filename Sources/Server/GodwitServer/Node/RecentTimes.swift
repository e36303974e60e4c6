//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The distribution of the times of requests in the current minute and the minute before.
///
/// Times are counted in buckets. There are four buckets between each power of two and the next one, in microseconds.
/// Each time is treated as the end of its bucket. Therefore a percentile is too high by at most a quarter.
struct RecentTimes: Sendable {
    private static let windowSeconds = 60
    private static let bucketCount = 160

    private var current = [UInt32](repeating: 0, count: RecentTimes.bucketCount)
    private var previous = [UInt32](repeating: 0, count: RecentTimes.bucketCount)
    private var window = 0

    /// Counts a time.
    ///
    /// - Parameter now: The current time in seconds.
    mutating func add(microseconds: UInt64, now: Int) {
        advance(to: now)
        current[RecentTimes.bucket(of: microseconds)] &+= 1
    }

    /// Returns percentiles of the times of requests, in milliseconds. The result is empty if there were no requests.
    ///
    /// - Parameter parts: The percentages, in ascending order. For example, the result for the percentage 99 is the
    ///   time within which 99 % of the requests were completed.
    mutating func milliseconds(within parts: [Int], now: Int) -> [Double] {
        advance(to: now)
        return RecentTimes.milliseconds(within: parts, of: zip(current, previous).map { Int($0) + Int($1) })
    }

    /// Returns the same percentiles as ``milliseconds(within:now:)``, but only of the requests in the newest minute
    /// that has requests.
    func milliseconds(ofCurrentWindow parts: [Int]) -> [Double] {
        RecentTimes.milliseconds(within: parts, of: current.map { Int($0) })
    }

    private static func milliseconds(within parts: [Int], of counts: [Int]) -> [Double] {
        let total = counts.reduce(0, +)
        guard total > 0 else { return [] }
        return parts.map { part in
            var remaining = (total * part + 99) / 100
            let index = counts.firstIndex { count in
                remaining -= count
                return remaining <= 0
            }
            return Double(RecentTimes.end(of: index ?? counts.count - 1)) / 1_000
        }
    }

    private mutating func advance(to now: Int) {
        let newWindow = now / RecentTimes.windowSeconds
        guard newWindow != window else { return }
        let empty = [UInt32](repeating: 0, count: RecentTimes.bucketCount)
        previous = newWindow == window + 1 ? current : empty
        current = empty
        window = newWindow
    }

    private static func bucket(of microseconds: UInt64) -> Int {
        let value = max(microseconds, 4)
        let exponent = UInt64.bitWidth - 1 - value.leadingZeroBitCount
        return min(exponent * 4 + Int(value >> (UInt64(exponent) - 2) & 3), bucketCount - 1)
    }

    /// The longest time of a bucket, in microseconds.
    private static func end(of bucket: Int) -> UInt64 {
        let (exponent, quarter) = (UInt64(bucket / 4), UInt64(bucket % 4))
        return exponent < 2 ? 4 : (5 + quarter) << (exponent - 2)
    }
}
