//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitQuery
import GodwitStore
import Testing

/// Reads the directory of a process that writes, in this process.
@Suite("Shared directories and crashes")
struct SharedDirectoryTests {
    private static let kills = 6
    private static let reads = 30
    private static let tasks = 6

    @Test(
        "A process that reads sees complete writes of another one, also after kills, and finds by indexes what exists",
        arguments: [Durability.full, .normal])
    func reading(durability: Durability) async throws {
        try await withTemporaryDirectory { directory in
            // The directory is created first: a process that reads cannot create it.
            _ = try await Driver.kill(after: 0, linesMin: 20, ["load", directory, "\(durability)", "shared"])
            let manager = try DatastoreManager(reading: directory)
            var counters: [Int: Int] = [:]
            for kill in 0..<Self.kills {
                let writer = Task {
                    try await Driver.kill(
                        after: Double.random(in: 0...0.1), linesMin: 60, ["load", directory, "\(durability)", "shared"])
                }
                for _ in 0..<Self.reads {
                    _ = try await verify(manager.existingDatastore(named: "load"), &counters)
                }
                let said = try await writer.value
                while try await !verify(manager.existingDatastore(named: "load"), &counters) {}
                for line in said {
                    let words = line.split(separator: " ")
                    guard words.first == "c", let task = Int(words[1]), let round = Int(words[2]) else { continue }
                    #expect(counters[task] ?? 0 >= round, "kill \(kill): \(line)")
                }
            }
            #expect(counters.values.max() ?? 0 > 2)
            await manager.close()
        }
    }

    @Test("A process cannot read a directory that another one does not share")
    func unshared() async throws {
        try await withTemporaryDirectory { directory in
            let manager = try DatastoreManager(directory: directory)
            _ = try await manager.datastore(named: "trips")
            #expect(try await Driver.kill(after: 0, ["read", directory, "trips"]) == ["directoryInUse"])
            #expect(await manager.suspend())
            #expect(try await Driver.kill(after: 0, ["read", directory, "trips"]) == ["0"])
            try await manager.resume()
            await manager.close()
        }
    }

    /// Checks that each batch before an acknowledged counter is complete, in the documents and by the index.
    ///
    /// - Returns: `false` if the database was closed meanwhile, because the other process began a new epoch.
    private func verify(_ store: Datastore, _ counters: inout [Int: Int]) async throws -> Bool {
        do {
            for task in 0..<Self.tasks {
                guard let document = try store.documents(["counter-\(task)"])[0] else { continue }
                let round = document.body["k"]?.intValue ?? 0
                #expect(round >= counters[task] ?? 0)
                counters[task] = round
                guard round > 0 else { continue }
                let ids = (1..<10).map { "\(task)-\(round)-\($0)" }
                #expect(try store.documents(ids).allSatisfy { $0 != nil }, "batch \(round) of \(task)")
                let found = try await store.find(
                    FindQuery(selector: ["round": .integer(Int64(round))], limit: 100, index: ["round"]))
                #expect(Set(ids).isSubset(of: found.documents.compactMap(\.id)), "index of \(round)")
            }
            return true
        } catch {
            guard error.code == .closed else { throw error }
            return false
        }
    }
}
