//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the process has used of the machine.
struct ProcessUse {
    let cpuSeconds: Double
    /// The most memory in use at any time until now.
    let peakBytes: Int
    /// The memory in use now.
    let residentBytes: Int

    /// - Parameter peakBytes: The highest mark that the system has set; it sets them behind time.
    init(cpuSeconds: Double, peakBytes: Int, residentBytes: Int) {
        self.cpuSeconds = cpuSeconds
        self.peakBytes = max(peakBytes, residentBytes)
        self.residentBytes = residentBytes
    }

    static var processID: Int32 { getpid() }

    static var now: ProcessUse {
        var usage = rusage()
        // 0 is this process; its name has another type on each system.
        getrusage(0, &usage)
        let times = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
        #if canImport(Darwin)
            let unit = 1
        #else
            let unit = 1024
        #endif
        let peak = Int(usage.ru_maxrss) * unit
        return ProcessUse(cpuSeconds: times[0] + times[1], peakBytes: peak, residentBytes: resident ?? peak)
    }

    /// The memory in use now, where the system tells it in `/proc`.
    private static var resident: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
