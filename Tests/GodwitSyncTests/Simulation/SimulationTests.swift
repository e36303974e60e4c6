//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Testing

/// Runs simulations from seeds. `GODWIT_SEEDS` sets their number. `GODWIT_SEED` runs one seed and prints all events, or
/// runs a range of seeds (`401-500`) to find one that ends the process.
@Suite("Replications in a simulation")
struct SimulationTests {
    private static let seedsDefault: UInt64 = 1_200
    /// The number of simulations between two lines of progress.
    private static let worldsTogether: UInt64 = 500

    private static var seeds: ClosedRange<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        let ends = (environment["GODWIT_SEED"] ?? "").split(separator: "-").compactMap { UInt64($0) }
        if let first = ends.first, let last = ends.last { return first...last }
        return 1...(environment["GODWIT_SEEDS"].flatMap(UInt64.init) ?? seedsDefault)
    }

    @Test("After any failures, all peers have the same data in the end")
    func worlds() async throws {
        let seeds = SimulationTests.seeds
        for first in stride(from: seeds.lowerBound, through: seeds.upperBound, by: Int(SimulationTests.worldsTogether))
        {
            let last = min(first + SimulationTests.worldsTogether - 1, seeds.upperBound)
            print("worlds \(first)-\(last)")
            await run(first...last, isTraced: seeds.count == 1)
        }
    }

    private func run(_ seeds: ClosedRange<UInt64>, isTraced: Bool) async {
        let lanes = UInt64(ProcessInfo.processInfo.activeProcessorCount)
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    for seed in seeds where seed % lanes == lane {
                        do {
                            try await World(seed: seed, isTraced: isTraced).run()
                        } catch {
                            Issue.record("GODWIT_SEED=\(seed): \(error)")
                        }
                    }
                }
            }
        }
    }
}
