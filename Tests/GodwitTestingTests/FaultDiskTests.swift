//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitKeys
import GodwitStore
import GodwitTesting
import TestKit
import Testing

@Suite("The store on a failing disk")
struct FaultDiskTests {
    /// No key, for plain files, and a key for encrypted ones.
    private static let keys = [nil, EncryptionKey.random()]

    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "godwit-faults-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path)
    }

    /// Writes batches of three until one fails, and returns the number of acknowledged batches.
    private func write(_ store: Datastore, from first: Int, batches: Int) async -> Int {
        for number in first..<first + batches {
            do {
                try await store.write { transaction in
                    for position in 0..<3 {
                        _ = try transaction.create(
                            Document(
                                id: "\(number)-\(position)", body: ["x": .string(String(repeating: "x", count: 2_000))])
                        )
                    }
                    var counter =
                        try (try? transaction.document("counter"))
                        ?? transaction.create(Document(id: "counter", body: [:]))
                    counter.body["n"] = .integer(Int64(number))
                    _ = try transaction.update(counter)
                }
            } catch {
                return number - first
            }
        }
        return batches
    }

    /// Expects that each batch is complete or absent, and that acknowledged batches are present.
    private func verify(_ store: Datastore, acknowledged: Int, atMost: Int, flushed: Bool, seed: UInt64) async throws {
        var isThere = true
        for number in 0..<atMost {
            let ids = (0..<3).map { "\(number)-\($0)" }
            let count = try store.documents(ids).count { $0 != nil }
            #expect(count == 0 || count == 3, "seed \(seed): batch \(number) has \(count) of 3")
            #expect(count == 3 || number >= acknowledged || !flushed, "seed \(seed): batch \(number) was acknowledged")
            // A batch is never present without the previous one.
            #expect(isThere || count == 0, "seed \(seed): batch \(number) is there without the one before")
            isThere = count == 3
        }
        let faults = try await store.check()
        #expect(faults.isEmpty, "seed \(seed): \(faults)")
    }

    @Test(
        "After a power loss every acknowledged write exists with flushes, and batches are complete or missing without",
        arguments: [Durability.full, .normal], keys)
    func powerCuts(durability: Durability, key: EncryptionKey?) async throws {
        var limits = StoreLimits()
        limits.checkpointPages = 40
        for seed in TestScale.seeds(20, of: 60) {
            try await withDirectory { directory in
                let disk = FaultDisk()
                let manager = try disk.manager(directory: directory, durability: durability, limits: limits, key: key)
                let store = try await manager.datastore(named: "a")
                let batches = Int(seed % 23) + 1
                let cutting = Task {
                    // In half of the rounds, the power is cut while writes are running.
                    if seed.isMultiple(of: 2) {
                        try await Task.sleep(for: .milliseconds(Int(seed % 7))); disk.cutPower(seed: seed)
                    }
                }
                let acknowledged = await write(store, from: 0, batches: batches)
                try await cutting.value
                disk.cutPower(seed: seed)
                await manager.close()
                disk.restorePower()
                let again = try disk.manager(directory: directory, durability: durability, limits: limits, key: key)
                let recovered = try await again.datastore(named: "a")
                try await verify(
                    recovered, acknowledged: acknowledged, atMost: batches + 1, flushed: durability == .full, seed: seed
                )
                // The recovered database accepts writes.
                _ = try await recovered.create(Document(body: [:]))
                await again.close()
            }
        }
    }

    @Test(
        "A full disk refuses a write with an error, keeps existing data, and accepts writes when there is space",
        arguments: keys)
    func fullDisk(key: EncryptionKey?) async throws {
        try await withDirectory { directory in
            let disk = FaultDisk()
            let manager = try disk.manager(directory: directory, key: key)
            let store = try await manager.datastore(named: "a")
            let before = await write(store, from: 0, batches: 5)
            #expect(before == 5)
            disk.setCapacity(bytes: 400_000)
            let acknowledged = await write(store, from: 5, batches: 200)
            #expect(acknowledged < 200)
            do {
                _ = try await store.create(
                    Document(
                        id: "large", body: [:],
                        attachments: ["x": .data([UInt8](repeating: 7, count: 900_000), contentType: "t/x")]))
                Issue.record("it fitted")
            } catch {
                let error = try #require(error as? StoreError)
                #expect(error.code == .diskFull && error.message.contains("Free disk space"))
            }
            #expect(try store.document("0-0").id == "0-0")
            disk.setCapacity(bytes: nil)
            let more = await write(store, from: 5 + acknowledged, batches: 5)
            #expect(more == 5)
            try await verify(store, acknowledged: 10 + acknowledged, atMost: 10 + acknowledged, flushed: true, seed: 0)
            await manager.close()
        }
    }

    @Test(
        "A failed disk operation makes the write fail, and leaves nothing",
        arguments: [FaultDisk.Operation.write, FaultDisk.Operation.flush, FaultDisk.Operation.truncate], keys)
    func failures(operation: FaultDisk.Operation, key: EncryptionKey?) async throws {
        for skipped in TestScale.numbers(below: 30, every: 3) {
            try await withDirectory { directory in
                let disk = FaultDisk()
                let manager = try disk.manager(directory: directory, key: key)
                let store = try await manager.datastore(named: "a")
                let first = await write(store, from: 0, batches: 3)
                disk.fail(operation, after: skipped, times: 1)
                let acknowledged = await write(store, from: 3, batches: 10)
                disk.restorePower()
                await manager.close()
                let again = try disk.manager(directory: directory, key: key)
                let recovered = try await again.datastore(named: "a")
                try await verify(
                    recovered, acknowledged: first + acknowledged, atMost: 14, flushed: true, seed: UInt64(skipped))
                await again.close()
            }
        }
    }

    @Test("The test disk counts its operations", arguments: keys)
    func counts(key: EncryptionKey?) async throws {
        let disk = FaultDisk()
        try await withTemporaryDatastore(on: disk, key: key) { store in
            let before = disk.counts
            for n in 0..<10 { _ = try await store.create(Document(id: "\(n)", body: [:])) }
            let after = disk.counts
            #expect(after.flushes - before.flushes >= 10)
            #expect(after.writes > before.writes && after.bytesWritten > before.bytesWritten)
        }
    }

    @Test("Creating and deleting databases on a failing disk leaves no partial database", arguments: keys)
    func databases(key: EncryptionKey?) async throws {
        for skipped in TestScale.numbers(below: 25, every: 3) {
            try await withDirectory { directory in
                let disk = FaultDisk()
                let manager = try disk.manager(directory: directory, key: key)
                _ = try await manager.datastore(named: "kept").create(Document(id: "a", body: [:]))
                disk.fail(skipped.isMultiple(of: 2) ? .write : .flush, after: skipped, times: .max)
                var (made, deleted): ([String], [String]) = ([], [])
                for name in ["a", "b", "c"] {
                    if (try? await manager.datastore(named: name)) != nil { made.append(name) }
                    if (try? await manager.delete(named: name)) != nil { deleted.append(name) }
                }
                await manager.close()
                disk.restorePower()
                let again = try disk.manager(directory: directory, key: key)
                let names = try await again.names()
                #expect(names.contains("kept"))
                #expect(Set(deleted).isDisjoint(with: names))
                for name in names { _ = try await again.datastore(named: name).create(Document(body: [:])) }
                for name in ["a", "b", "c"] where !names.contains(name) { _ = try await again.datastore(named: name) }
                await again.close()
            }
        }
    }

    @Test("A change of keys that the disk refuses leaves the old key or the new one, and everything there")
    func changeOfKeys() async throws {
        let (old, new) = (Encryption.key(.random()), Encryption.key(.random()))
        var refused = 0
        for skipped in TestScale.numbers(below: 40, every: 3) {
            for operation in [FaultDisk.Operation.write, .flush, .read, .delete] {
                try await withDirectory { directory in
                    let disk = FaultDisk()
                    let manager = try disk.manager(directory: directory)
                    let store = try await manager.datastore(named: "a", encryption: old)
                    #expect(await write(store, from: 0, batches: 6) == 6)
                    disk.fail(operation, after: skipped, times: 3)
                    let isDone = (try? await manager.rekey(named: "a", from: old, to: new)) != nil
                    refused += isDone ? 0 : 1
                    disk.restorePower()
                    let opened = try? await manager.existingDatastore(named: "a", encryption: new)
                    #expect(opened != nil || !isDone)
                    let again =
                        if let opened { opened } else {
                            try await manager.existingDatastore(named: "a", encryption: old)
                        }
                    try await verify(again, acknowledged: 6, atMost: 6, flushed: true, seed: UInt64(skipped))
                    await manager.close()
                }
            }
        }
        #expect(refused > 7)
    }

    @Test("A directory whose creation ended after any of its writes can be opened", arguments: keys)
    func creations(key: EncryptionKey?) async throws {
        var (skipped, isCreated) = (0, false)
        while !isCreated {
            try await withDirectory { directory in
                let disk = FaultDisk()
                disk.fail(.write, after: skipped, times: .max)
                if let manager = try? disk.manager(directory: directory, key: key) {
                    isCreated = (try? await manager.datastore(named: "a")) != nil
                    await manager.close()
                }
                disk.restorePower()
                let again = try disk.manager(directory: directory, key: key)
                let store = try await again.datastore(named: "a")
                _ = try await store.create(Document(body: [:]))
                await again.close()
            }
            skipped += 1
        }
        #expect(skipped > 5)
    }

    @Test("A change of keys that cannot remove the old log leaves the old file: a new one would be read with that log")
    func logThatStays() async throws {
        let (old, new) = (Encryption.key(.random()), Encryption.key(.random()))
        try await withDirectory { directory in
            let disk = FaultDisk()
            let crashed = try disk.manager(directory: directory)
            let store = try await crashed.datastore(named: "a", encryption: old)
            #expect(await write(store, from: 0, batches: 6) == 6)
            disk.cutPower(seed: 1)
            await crashed.close()
            disk.restorePower()
            let manager = try disk.manager(directory: directory)
            disk.fail(.delete, times: .max)
            let error = await #expect(throws: StoreError.self) {
                try await manager.rekey(named: "a", from: old, to: new)
            }
            #expect(error?.code == .storage && error?.message.contains("-wal") == true, "\(String(describing: error))")
            disk.restorePower()
            let kept = try await manager.existingDatastore(named: "a", encryption: old)
            try await verify(kept, acknowledged: 6, atMost: 6, flushed: true, seed: 0)
            try await manager.rekey(named: "a", from: old, to: new)
            let again = try await manager.existingDatastore(named: "a", encryption: new)
            try await verify(again, acknowledged: 6, atMost: 6, flushed: true, seed: 0)
            await manager.close()
        }
    }
}
