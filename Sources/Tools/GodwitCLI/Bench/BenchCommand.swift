//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitFoundation
import GodwitHost
import GodwitJSON
import GodwitSync

/// The `godwit bench` command: measures workloads against a server.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Run the same workloads against any CouchDB-compatible server.",
        discussion: """
            It creates several databases of its own and deletes them at the end. The CPU time is the server's: Godwit \
            reports it; for another server on this machine, --pid names the process.
            """)

    @Option(help: "The server's URL, with credentials, or with GODWIT_USER and GODWIT_PASSWORD.")
    var url: String

    @Option(help: "The size of each workload; 1 takes some minutes on a slow server.")
    var scale = 1.0

    @Option(help: "The server's process, whose CPU time is measured with that of its children.")
    var pid: Int?

    @Flag(help: "Print one JSON object for each workload.")
    var json = false

    @OptionGroup var trust: TrustOption

    func validate() throws {
        guard (0.01...1000).contains(scale) else {
            throw ValidationError("--scale must be a number from 0.01 to 1000.")
        }
    }

    func run() async throws {
        let client = try BenchClient(server: url, credentials: Settings().login, trust: trust)
        let name = "godwit-bench-" + UUID().uuidString.lowercased().prefix(8)
        let workloads = BenchWorkloads(client: client, database: name, scale: scale)
        let cpu = ServerCPU(client: client, process: pid)
        do {
            try await workloads.prepare()
            if !json { CommandText.printLine(BenchResult.head) }
            for workload in workloads.all {
                let result = try await measure(workload, cpu)
                CommandText.printLine(json ? JSONValue.object(result.object).jsonText() : result.line)
                try StandardStream.output.check()
            }
        } catch {
            await workloads.clean()
            throw error
        }
        await workloads.clean()
    }

    private func measure(_ workload: BenchWorkloads.Workload, _ cpu: ServerCPU) async throws -> BenchResult {
        let cpuBefore = try await cpu.seconds()
        let start = ContinuousClock.now
        try await workload.run(workload.count)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let cpuAfter = try await cpu.seconds()
        return BenchResult(
            name: workload.name, unit: workload.unit, count: workload.count, seconds: seconds,
            cpuSeconds: cpuBefore.flatMap { cpuBefore in cpuAfter.map { max($0 - cpuBefore, 0) } })
    }
}

/// The result of one workload.
struct BenchResult {
    let name: String
    let unit: String
    let count: Int
    let seconds: Double
    /// The server's CPU time; `nil` when it is unknown.
    let cpuSeconds: Double?

    static let head = row("workload", "count", "rate", "CPU each", "per CPU second")

    var line: String {
        BenchResult.row(
            name, "\(count)", "\(BenchResult.rounded(Double(count) / seconds))/s",
            cpuSeconds.map { BenchResult.milliseconds($0 / Double(count)) } ?? "-",
            cpuSeconds.map { $0 > 0 ? "\(BenchResult.rounded(Double(count) / $0))" : "-" } ?? "-")
    }

    var object: JSONObject {
        [
            "workload": .string(name), "unit": .string(unit), "count": .integer(Int64(count)),
            "seconds": .double(seconds), "rate": .double(Double(count) / seconds),
            "cpu_seconds": cpuSeconds.map { .double($0) } ?? .null,
        ]
    }

    private static func rounded(_ number: Double) -> Int { Int(number.rounded()) }

    /// Returns a time in milliseconds with four decimal digits.
    private static func milliseconds(_ seconds: Double) -> String {
        let (integralPart, fraction) = rounded(seconds * 10_000_000).quotientAndRemainder(dividingBy: 10_000)
        return "\(integralPart).\(String(10_000 + fraction).dropFirst()) ms"
    }

    private static func row(_ columns: String...) -> String {
        let widths = [26, 10, 12, 14, 16]
        return zip(columns, widths).enumerated().map { index, column in
            let blanks = String(repeating: " ", count: max(0, column.1 - column.0.count))
            return index == 0 ? column.0 + blanks : blanks + column.0
        }.joined()
    }
}
