//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation

/// The resource usage of the process.
struct ProcessUse {
    /// The CPU time in seconds. It includes the CPU time of child processes, which run functions of design documents.
    /// However, without `/proc`, the time of a child process is included only after the child process has ended.
    let cpuSeconds: Double
    /// The maximum memory in use so far, in bytes.
    let peakBytes: Int
    /// The number of open file descriptors, on systems with `/proc`; otherwise `nil`.
    static var openFiles: Int? { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count }

    /// The memory in use now, in bytes. Without `/proc`, the current value is not known, and this is ``peakBytes``.
    let residentBytes: Int

    /// Creates a usage.
    ///
    /// - Parameter peakBytes: The maximum memory in use, as the system reports it. This value may be smaller than
    ///   `residentBytes`, because the system updates it with a delay.
    init(cpuSeconds: Double, peakBytes: Int, residentBytes: Int) {
        self.cpuSeconds = cpuSeconds
        self.peakBytes = max(peakBytes, residentBytes)
        self.residentBytes = residentBytes
    }

    static var processID: Int32 { getpid() }

    static var now: ProcessUse {
        var (usage, childUsage) = (rusage(), rusage())
        // 0 means this process, and -1 means its children that have ended. Numbers are used because the types of the
        // named constants differ between systems.
        getrusage(0, &usage)
        getrusage(-1, &childUsage)
        let times = [usage.ru_utime, usage.ru_stime, childUsage.ru_utime, childUsage.ru_stime]
            .map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
        return ProcessUse(
            cpuSeconds: times.reduce(0, +) + childrenSeconds, peakBytes: usage.peakBytes,
            residentBytes: residentBytes ?? usage.peakBytes)
    }

    /// The CPU time of running children, on systems with `/proc`; otherwise 0.
    private static var childrenSeconds: Double {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let children = threads.flatMap { thread in
            text(of: "self/task/\(thread)/children")?.pieces(at: " ") ?? []
        }
        let ticks = children.reduce(0) { sum, child in
            guard let text = text(of: "\(child)/stat"),
                let nameEnd = text.utf8.lastIndex(of: UInt8(ascii: ")"))
            else { return sum }
            let fields = text[text.index(after: nameEnd)...].pieces(at: " ")
            // `fields` contains the fields after the name. Field 11 is the time in user mode, and field 12 is the time
            // in the kernel. Both are in ticks.
            return sum + (fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0)
        }
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Returns the text of a file of `/proc`; `nil` if it does not exist.
    private static func text(of path: String) -> String? {
        (try? SystemFile.contents(of: "/proc/\(path)", countMax: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The memory in use now, on systems with `/proc`; otherwise `nil`.
    static var residentBytes: Int? {
        guard let text = text(of: "self/statm"),
            let pages = text.pieces(at: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
