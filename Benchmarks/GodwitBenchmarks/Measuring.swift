//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// Returns the seconds that a closure takes.
func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start) / .seconds(1)
}

/// Returns the seconds that a synchronous closure takes.
func secondsNow(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .seconds(1)
}

/// Returns the seconds of one of many calls; each call receives its number.
func perQuery(_ count: Int, _ body: (Int) async throws -> Void) async throws -> Double {
    try await seconds { for number in 0..<count { try await body(number) } } / Double(count)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// Returns the value below which the fraction `part` of all values is.
func percentile(_ values: [Double], _ part: Double) -> Double {
    values.sorted()[min(Int(Double(values.count) * part), values.count - 1)]
}

/// The peak memory of this process in MB.
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

/// Runs `body` with a new directory, and removes the directory afterwards.
func withDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let path = NSTemporaryDirectory() + "godwit-bench-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

/// Prints one line of results.
func report(_ workload: String, _ figures: String) {
    FileHandle.standardOutput.write(Data("\(workload): \(figures)\n".utf8))
}

func text(_ value: Double, _ digits: Int = 0) -> String { String(format: "%.\(digits)f", value) }
