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
    let peakBytes: Int
    let residentBytes: Int

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
