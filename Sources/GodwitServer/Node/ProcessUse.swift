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
    /// With the processes that run functions of design documents, those that ended too.
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
        var (usage, ended) = (rusage(), rusage())
        // 0 is this process, -1 its children that ended; their names have another type on each system.
        getrusage(0, &usage)
        getrusage(-1, &ended)
        let times = [usage.ru_utime, usage.ru_stime, ended.ru_utime, ended.ru_stime]
            .map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
        #if canImport(Darwin)
            let unit = 1
        #else
            let unit = 1024
        #endif
        let peak = Int(usage.ru_maxrss) * unit
        return ProcessUse(
            cpuSeconds: times.reduce(0, +) + childrenSeconds, peakBytes: peak, residentBytes: residentBytes ?? peak)
    }

    /// The time of children that live, where the system tells it in `/proc`.
    private static var childrenSeconds: Double {
        let lists = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let children = lists.flatMap { thread in
            (try? String(contentsOfFile: "/proc/self/task/\(thread)/children", encoding: .utf8))?.split(separator: " ")
                ?? []
        }
        let ticks = children.reduce(0) { sum, child in
            guard let text = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8),
                let end = text.lastIndex(of: ")")
            else { return sum }
            let fields = text[text.index(after: end)...].split(separator: " ")
            return sum + (fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0)
        }
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The memory in use now, where the system tells it in `/proc`.
    static var residentBytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
