//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitStore

@Suite("Compaction")
struct CompactionTests {
    @Test("Bodies of old revisions are removed, leaves and their histories stay")
    func oldBodies() async throws {
        try await withDatastore { store in
            var document = try await store.create(Document(id: "a", body: ["n": 0]))
            for n in 1...600 {
                document.body["n"] = .integer(Int64(n))
                document = try await store.update(document)
            }
            try await store.graft("a", "zyx")
            #expect(try store.history(of: "a").allSatisfy(\.isAvailable))
            let report = try await store.compact()
            #expect(report.bodiesRemoved == 600)
            #expect(try store.history(of: "a").map(\.isAvailable) == [true] + [Bool](repeating: false, count: 600))
            #expect(try store.document("a").body["n"] == 600)
            #expect(try store.body("a", at: revision("3-z")) != nil)
            #expect(try await store.compact().bodiesRemoved == 0)
        }
    }

    @Test("The file shrinks to its content, and attachments without a revision are removed")
    func fileSize() async throws {
        try await withDatastore { store in
            let bytes = [UInt8](repeating: 7, count: 3_000_000)
            var document = try await store.create(
                Document(id: "a", body: [:], attachments: ["x": .data(bytes, contentType: "t/x")]))
            document.attachments = [:]
            _ = try await store.update(document)
            let before = try store.info().fileBytes
            let report = try await store.compact()
            #expect(try store.read { try $0.storedUses() } == [:])
            #expect(report.pagesFreed > 700)
            #expect(try store.info().fileBytes < before / 10)
            #expect(try store.info().freeBytes == 0)
        }
    }

    @Test("An attachment stays while it is being read, and its reader gets all bytes")
    func readers() async throws {
        try await withDatastore { store in
            let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            var document = try await store.create(
                Document(id: "a", body: [:], attachments: ["x": .data(bytes, contentType: "t/x")]))
            do {
                let stored = try #require(document.attachments["x"])
                let reading = try store.bytes(of: stored)
                document.attachments = [:]
                document = try await store.update(document)
                try await store.compact()
                var read: [UInt8] = []
                for try await piece in reading { read += piece }
                #expect(isSame(read, bytes))
            }
            try await store.compact()
            #expect(try store.read { try $0.storedUses() } == [:])
        }
    }

    @Test("Other tasks write and read during a compaction")
    func besideOthers() async throws {
        try await withDatastore { store in
            for n in 0..<40 { _ = try await store.create(Document(id: "\(n)", body: ["n": 0])) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for n in 0..<40 {
                    group.addTask {
                        var document = try store.document("\(n)")
                        for round in 1...20 {
                            document.body["n"] = .integer(Int64(round))
                            document = try await store.update(document)
                        }
                    }
                }
                for _ in 0..<4 { group.addTask { _ = try await store.compact() } }
                try await group.waitForAll()
            }
            try await store.compact()
            for n in 0..<40 { #expect(try store.document("\(n)").body["n"] == 20) }
            #expect(try store.read { try $0.connection.integer("SELECT count(*) FROM superseded") } == 0)
        }
    }
}
