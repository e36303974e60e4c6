//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
import GodwitJSON

/// Reads the CPU time of a server. A Godwit server reports its CPU time itself. For a local process, the system reports
/// it.
struct ServerCPU: Sendable {
    let client: BenchClient
    /// The id of a local process, whose children are also measured; `nil` to ask the server.
    let process: Int?

    /// Returns the CPU time in seconds; `nil` when it is unknown.
    func seconds() async throws -> Double? {
        if let process { return ServerCPU.seconds(of: process) }
        guard let value = try await client.json("_node/_local/_system")?.objectValue?["cpu_seconds"] else { return nil }
        return value.doubleValue
    }

    /// Returns the time of a process and its living children, from `/proc/PID/stat`.
    private static func seconds(of process: Int) -> Double? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        var parents: [Int: (parent: Int, ticks: Int)] = [:]
        for id in names.compactMap({ Int($0) }) {
            guard let bytes = try? SystemFile.contents(of: "/proc/\(id)/stat", countMax: 4_096) else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            guard
                // The name of the process, which may contain blanks, ends at the last parenthesis.
                let nameEnd = text.utf8.lastIndex(of: UInt8(ascii: ")"))
            else { continue }
            let fields = text[text.index(after: nameEnd)...].pieces(at: " ")
            // In the fields after the name, index 1 is the id of the parent. Index 11 is the user time and index 12 is
            // the system time, both in ticks.
            guard fields.count > 12, let parent = Int(fields[1]), let user = Int(fields[11]),
                let system = Int(fields[12])
            else { continue }
            parents[id] = (parent, user + system)
        }
        guard let root = parents[process] else { return nil }
        var (ticks, processes) = (root.ticks, Set([process]))
        var grows = true
        while grows {
            grows = false
            for (id, entry) in parents where processes.contains(entry.parent) && processes.insert(id).inserted {
                ticks += entry.ticks
                grows = true
            }
        }
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
