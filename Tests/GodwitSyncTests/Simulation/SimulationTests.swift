//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Testing

/// Worlds that a seed makes. `GODWIT_SEEDS` says how many, `GODWIT_SEED` runs one.
@Suite("Replications in a simulated world")
struct SimulationTests {
    private static let seedsDefault: UInt64 = 2_000

    private static var seeds: ClosedRange<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        if let one = environment["GODWIT_SEED"].flatMap(UInt64.init) { return one...one }
        return 1...(environment["GODWIT_SEEDS"].flatMap(UInt64.init) ?? seedsDefault)
    }

    @Test("Whatever goes wrong, all peers hold the same in the end")
    func worlds() async throws {
        let seeds = SimulationTests.seeds
        let lanes = UInt64(ProcessInfo.processInfo.activeProcessorCount)
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    for seed in seeds where seed % lanes == lane {
                        do {
                            try await World(seed: seed, isTraced: seeds.count == 1).run()
                        } catch {
                            Issue.record("GODWIT_SEED=\(seed): \(error)")
                        }
                    }
                }
            }
        }
    }
}
