//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitKeys
import GodwitQuery
import GodwitViews
import Testing

@testable import GodwitStore

/// Kills a process with the engine repeatedly, and checks the databases.
@Suite("Crashes")
struct CrashTests {
    private static let kills = Int(ProcessInfo.processInfo.environment["GODWIT_KILLS"] ?? "") ?? 200
    /// The number of kills after which a new directory is used. With several kills in one directory, recoveries are
    /// interrupted too.
    private static let killsPerDirectory = 20

    @Test(
        "After a kill every acknowledged write exists, batches are complete or missing, and the check finds no fault",
        arguments: [Durability.full, .normal], [nil, EncryptionKey.random()])
    func load(durability: Durability, key: EncryptionKey?) async throws {
        var generator = SystemRandomNumberGenerator()
        for round in 0..<(CrashTests.kills / 2 / CrashTests.killsPerDirectory) {
            try await withTemporaryDirectory { directory in
                var said = Said()
                for _ in 0..<CrashTests.killsPerDirectory {
                    let delay = Double.random(in: 0...0.1, using: &generator)
                    let linesMin = Int.random(in: 1...40, using: &generator)
                    let arguments = ["load", directory, "\(durability)"]
                    said.read(try await Driver.kill(after: delay, linesMin: linesMin, arguments, key: key))
                    try await said.verify(directory, durability: durability, key: key)
                }
                #expect(said.counters.values.max() ?? 0 > 2, "round \(round) hardly wrote")
            }
        }
    }

    @Test(
        "A change of several steps that was interrupted at any of them is completed or undone at the next start",
        arguments: ["create", "restore", "delete"], [nil, EncryptionKey.random()])
    func steps(kind: String, key: EncryptionKey?) async throws {
        let steps: [DatabaseStep] =
            kind == "delete"
            ? [.beginDeletion, .removeFile, .forget] : [.beginCreation, .writeFile, .renameFile, .finishCreation]
        for step in steps {
            try await withTemporaryDirectory { directory in
                try await Driver.run(["step", directory, "\(step)", kind], key: key)
                let manager = try DatastoreManager(directory: directory, key: key)
                let names = try await manager.names()
                // The database is unchanged only when the deletion had not started.
                #expect(names.contains("victim") == (kind == "delete" && step == .beginDeletion), "\(kind), \(step)")
                let file = directory + "/" + (try DatabaseName("victim").filePath)
                let left = ["", ".new", "-wal", "-shm"].filter { FileManager.default.fileExists(atPath: file + $0) }
                #expect(left.isEmpty || names.contains("victim"), "\(kind), \(step): \(left)")
                let again = try await manager.datastore(named: "victim")
                #expect(try again.documents(["a"])[0] != nil || !names.contains("victim"))
                _ = try await again.create(Document(body: [:]))
                let faults = try await again.check()
                #expect(faults.isEmpty)
                await manager.close()
            }
        }
    }
}

func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
    let path = NSTemporaryDirectory() + "godwit-crash-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
}

/// The writes that the driver reported as acknowledged.
private struct Said {
    var batches: [String: Int] = [:]
    var counters: [String: Int] = [:]
    var attachments: [String: Int] = [:]
    var deleted: Set<String> = []
    var made: Set<String> = []
    var removed: Set<String> = []

    mutating func read(_ lines: [String]) {
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 3, let number = Int(words[2]) else { continue }
            switch words[0] {
            case "b": batches[words[1]] = number
            case "c": counters[words[1]] = number
            case "a": attachments[words[1]] = number
            case "d": deleted.insert("\(words[1])-\(words[2])-0")
            case "m": made.insert("m-\(words[1])-\(words[2])")
            case "x": removed.insert("m-\(words[1])-\(words[2])")
            default: break
            }
        }
    }

    func verify(_ directory: String, durability: Durability, key: EncryptionKey?) async throws {
        let manager = try DatastoreManager(
            directory: directory, durability: durability, key: key, scripts: .inProcess())
        let store = try await manager.datastore(named: "load")
        for (task, last) in batches {
            // Earlier batches were verified before; only the last two and the next one can be new.
            for round in max(1, last - 30)...(last + 1) {
                let ids = (0..<10).map { "\(task)-\(round)-\($0)" }
                let rows = try ids.map { id in try store.read { try $0.row(id: id) } }
                let count = rows.count { $0 != nil }
                #expect(
                    count == 10 || (count == 0 && round > last),
                    "\(count) of batch \(round) of \(task), \(last) acknowledged")
            }
        }
        for (task, last) in counters {
            #expect(try store.document("counter-\(task)").body["k"]?.intValue ?? 0 >= last)
        }
        for (task, length) in attachments {
            let document = try store.document("a-\(task)")
            #expect(document.attachments["x"]?.length ?? 0 >= length)
        }
        for id in deleted { #expect(try store.documents([id])[0] == nil) }
        let names = Set(try await manager.names())
        #expect(removed.isDisjoint(with: names))
        // A database whose deletion was interrupted may be gone.
        #expect(made.subtracting(removed).filter { !isDeletedLater($0) }.allSatisfy(names.contains))
        let faults = try await store.check()
        #expect(faults.isEmpty, "\(faults)")
        try await verifyViews(of: store)
        await manager.close()
    }

    /// Checks that views agree with the documents, whatever the kill interrupted.
    private func verifyViews(of store: Datastore) async throws {
        guard try store.documents(["_design/load"])[0] != nil else { return }
        let rounds = try store.allDocuments().compactMap { $0.body["round"]?.intValue }
        for view in ["rounds", "scripted"] {
            let plan = try await store.plan(ViewQuery(), view: view, design: "_design/load")
            var cursor = GroupCursor(plan)
            var values: [String] = []
            while let groups = try store.readTogether({ try cursor.next(from: $0) }) {
                values += try await cursor.reduce(groups).map { String(decoding: try $0.value.get(), as: UTF8.self) }
            }
            let sum = rounds.reduce(0, +)
            #expect(values == (sum == 0 ? [] : ["\(sum)"]), "\(view)")
        }
    }

    private func isDeletedLater(_ name: String) -> Bool {
        name.split(separator: "-").last.flatMap { Int($0) }?.isMultiple(of: 2) == true
    }
}
