//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// The seconds that some work takes.
func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start) / .seconds(1)
}

/// The seconds that some work takes, without suspending.
func secondsNow(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .seconds(1)
}

/// The seconds that one of many calls takes; each gets its number.
func perQuery(_ count: Int, _ body: (Int) async throws -> Void) async throws -> Double {
    try await seconds { for number in 0..<count { try await body(number) } } / Double(count)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// The value below which `part` of all lie.
func percentile(_ values: [Double], _ part: Double) -> Double {
    values.sorted()[min(Int(Double(values.count) * part), values.count - 1)]
}

/// The most memory that this process ever had, in MB.
var peakMegabytes: Double { Double(usage.ru_maxrss) / 1024 }

private var usage: rusage {
    var usage = rusage()
    #if canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
        getrusage(RUSAGE_SELF, &usage)
    #endif
    return usage
}

/// The CPU time that this process has used, in seconds.
var cpuSeconds: Double {
    let usage = usage
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Runs `body` with a new directory and removes it.
func withDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let path = NSTemporaryDirectory() + "godwit-bench-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

/// Prints one line of figures.
func report(_ workload: String, _ figures: String) {
    FileHandle.standardOutput.write(Data("\(workload): \(figures)\n".utf8))
}

func text(_ value: Double, _ digits: Int = 0) -> String { String(format: "%.\(digits)f", value) }
