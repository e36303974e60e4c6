//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestKit
import Testing

@testable import GodwitStore

@Suite("The journal of background work")
struct WorkJournalTests {
    private typealias Slot = WorkJournalFile.Slot

    private let job = BackgroundWorkID(.replication, "backup 1-a")
    private let module = BackgroundWorkID(.module, "Backend")

    private func inFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "work-journal-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    /// Opens a journal and leaves it as a process that ended while the works were running, without last words.
    private func endProcess(in folder: String, running works: [BackgroundWorkID]) async throws -> [String] {
        let journal = WorkJournal(storesNames: true)
        journal.open(directory: folder, isSafe: false)
        let held = journal.held.map(\.name)
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for work in works where journal.reasonToHold(work) == nil {
            let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
            Task {
                try await journal.run(work) {
                    hasBegun.finish()
                    for await _ in stream {}
                }
            }
            for await _ in begun {}
        }
        withExtendedLifetime(continuation) {}
        return held
    }

    @Test("work that was running at several ends in a row is held, and started again by an administrator")
    func heldAfterKills() async throws {
        try await inFolder { folder in
            for _ in 0..<WorkJournal.killsMax {
                #expect(try await endProcess(in: folder, running: [job, module]).isEmpty)
            }
            #expect(WorkJournal.held(in: folder) == ["replication backup 1-a"])
            let journal = WorkJournal(storesNames: true)
            let fault = try #require(journal.open(directory: folder, isSafe: false))
            #expect(fault.signal == nil && fault.running.contains("replication backup 1-a"))
            await #expect(throws: StoreError.self) { try await journal.run(job) {} }
            // The narrow work is held, and not the modules, which run in every process.
            try await journal.run(module) {}
            let held = try #require(journal.held.first)
            #expect(held.name == "replication backup 1-a" && held.endCount == WorkJournal.killsMax)
            #expect(!journal.start("00"))
            #expect(journal.start(held.id))
            try await journal.run(job) {}
            journal.close()
            #expect(WorkJournal.held(in: folder).isEmpty)
        }
    }

    @Test("modules are held after faults, if nothing narrower was running")
    func heldModule() {
        var content = WorkJournalFile.Content()
        let running = { (name: String) in Slot(state: .running, endCount: 4, began: 1_000, name: name) }
        content.isClean = false
        content.aliveSeconds = 1_001
        content.slots = [running("module Backend")]
        #expect(WorkJournal.judged(content).map(\.state) == [.suspect])
        content.lastWords = ["SIGSEGV", "1001"]
        #expect(WorkJournal.judged(content).map(\.state) == [.held])
        content.slots = [running("module Backend"), running("index a b 1")]
        #expect(WorkJournal.judged(content).map(\.state) == [.suspect, .held])
    }

    @Test("kills long after the work began do not count")
    func longRunning() {
        var content = WorkJournalFile.Content()
        (content.isClean, content.aliveSeconds) = (false, 10_000)
        content.slots = [Slot(state: .running, endCount: 4, began: 1_000, name: "replication x")]
        #expect(WorkJournal.judged(content).map(\.state) == [.free])
        content.aliveSeconds = 1_050
        #expect(WorkJournal.judged(content).map(\.state) == [.held])
    }

    @Test("an end in order, and a process in which the work does not run, begin the count again")
    func interrupted() async throws {
        try await inFolder { folder in
            for _ in 0..<WorkJournal.killsMax - 1 { _ = try await endProcess(in: folder, running: [job]) }
            let journal = WorkJournal(storesNames: true)
            journal.open(directory: folder, isSafe: false)
            journal.close()
            for _ in 0..<WorkJournal.killsMax - 1 { _ = try await endProcess(in: folder, running: [job]) }
            _ = try await endProcess(in: folder, running: [])
            #expect(try await endProcess(in: folder, running: [job]).isEmpty)
            #expect(WorkJournal.held(in: folder).isEmpty)
        }
    }

    @Test("two faults are enough, if the second one came soon after the work began")
    func faults() {
        var slot = Slot(state: .running, endCount: 0, began: 1_000, name: "replication x")
        var content = WorkJournalFile.Content()
        (content.isClean, content.lastWords, content.slots) = (false, ["SIGILL", "9000", "f"], [slot])
        #expect(WorkJournal.judged(content).map(\.state) == [.suspect])
        slot.endCount = 1
        content.slots = [slot]
        #expect(WorkJournal.judged(content).map(\.state) == [.suspect])
        content.lastWords[1] = "1001"
        #expect(WorkJournal.judged(content).map(\.state) == [.held])
        content.lastWords = []
        content.aliveSeconds = 1_001
        #expect(WorkJournal.judged(content).map(\.state) == [.suspect])
    }

    @Test("a safe start runs nothing")
    func safe() async throws {
        try await inFolder { folder in
            let journal = WorkJournal(storesNames: true)
            journal.open(directory: folder, isSafe: true)
            await #expect(throws: StoreError.self) { try await journal.run(module) {} }
            journal.close()
        }
    }

    @Test("a damaged file, of any bytes and lengths, holds nothing that cannot be started again")
    func damaged() async throws {
        try await inFolder { folder in
            let path = "\(folder)/\(WorkJournalFile.name)"
            _ = try await endProcess(in: folder, running: [job])
            let intact = try Data(contentsOf: URL(fileURLWithPath: path))
            var generator = SeededGenerator(seed: 1)
            // The first eight bytes identify the file, and stay.
            let lengths = Array(0...10) + (0..<40).map { _ in Int.random(in: 11...intact.count, using: &generator) }
            for length in lengths {
                var bytes = intact.prefix(length)
                for _ in 0..<min(64, max(length - 8, 0)) {
                    let position = Int.random(in: 8..<length, using: &generator)
                    bytes[position] = .random(in: 0...255, using: &generator)
                }
                try bytes.write(to: URL(fileURLWithPath: path))
                let journal = WorkJournal(storesNames: true)
                journal.open(directory: folder, isSafe: false)
                for held in journal.held { #expect(journal.start(held.id)) }
                try await journal.run(job) {}
                journal.close()
            }
        }
    }

    @Test("an encrypted directory's journal has no names")
    func withoutNames() async throws {
        try await inFolder { folder in
            let journal = WorkJournal(storesNames: false)
            journal.open(directory: folder, isSafe: false)
            try await journal.run(job) {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(WorkJournalFile.name)"))
                #expect(bytes.range(of: Data("backup".utf8)) == nil)
                #expect(bytes.range(of: Data("replication ".utf8)) != nil)
            }
            journal.close()
        }
    }
}
