//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Testing

@testable import GodwitStore

@Suite("The last words of a process", .serialized)
struct WorkJournalFaultTests {
    /// The folder that the test and the process that it starts have in common.
    private static func folder(of process: Int32) -> String { NSTemporaryDirectory() + "last-words-\(process)" }

    @inline(never)
    static func addBeyondTheEnd(_ number: Int) -> Int { number + 1 }

    @Test("a fault leaves its signal, the names of the functions, and the work that was running")
    func fault() async throws {
        let folder = Self.folder(of: getpid())
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect(processExitsWith: .failure) {
            let journal = WorkJournal(storesNames: true)
            journal.open(directory: Self.folder(of: getppid()), isSafe: false)
            try await journal.run(BackgroundWorkID(.replication, "copy")) {
                print(Self.addBeyondTheEnd(.max - Int(getpid()) + Int(getpid())))
            }
        }
        let journal = WorkJournal(storesNames: true)
        let fault = try #require(journal.open(directory: folder, isSafe: false))
        defer { journal.close() }
        #expect(fault.signal != nil && fault.running == ["replication copy"])
        #expect(fault.functions.contains { $0.contains("addBeyondTheEnd") }, "\(fault.functions)")
    }

    @Test("a signal that an earlier handler handles leaves nothing, and a later fault leaves its words")
    func handled() async throws {
        let folder = Self.folder(of: getpid())
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect(processExitsWith: .failure) {
            signal(SIGSEGV) { _ in }
            let folder = Self.folder(of: getppid())
            let journal = WorkJournal(storesNames: true)
            journal.open(directory: folder, isSafe: false)
            for _ in 0..<2 {
                raise(SIGSEGV)
                let content = WorkJournalFile.content(in: folder)
                precondition(content != nil && content?.signal == nil, "the words were not withdrawn")
            }
            try await journal.run(BackgroundWorkID(.replication, "copy")) {
                print(Self.addBeyondTheEnd(.max - Int(getpid()) + Int(getpid())))
            }
        }
        let content = try #require(WorkJournalFile.content(in: folder))
        #expect(content.signal != nil)
        #expect(content.functions.contains { $0.contains("addBeyondTheEnd") }, "\(content.functions)")
    }
}
