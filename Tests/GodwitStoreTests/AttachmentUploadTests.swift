//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import TestKit
import Testing

@testable import GodwitStore

@Suite("Uploads of attachments")
struct AttachmentUploadTests {
    private func upload(_ store: Datastore, _ bytes: [UInt8], pieces: [Int]) async throws -> StoredBlob {
        var upload = store.upload()
        var (position, turn) = (0, 0)
        while position < bytes.count {
            let end = min(position + pieces[turn % pieces.count], bytes.count)
            try await upload.append(Array(bytes[position..<end]))
            (position, turn) = (end, turn + 1)
        }
        return try await upload.finish()
    }

    private func attach(_ blob: StoredBlob, to id: String) -> IncomingDocument {
        IncomingDocument(id: id, attachments: [.stored(name: "x", contentType: "t/x", blob: blob)])
    }

    @Test(
        "Every length, in any pieces", arguments: [0, 1, 262_143, 262_144, 262_145, 1 << 20, 1 << 20 + 1, 5 << 20])
    func lengths(length: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(length))
        let block = generator.bytes(10_007)
        let bytes = (0..<length).map { block[$0 % block.count] &+ UInt8(truncatingIfNeeded: $0 >> 13) }
        try await withDatastore { store in
            let blob = try await upload(store, bytes, pieces: [1, 7, 65_536, 262_144, 3, 999_983])
            #expect(blob.length == length)
            #expect(blob.digest == MessageDigest.Algorithm.sha256.digest(of: bytes))
            #expect(blob.md5 == MessageDigest.Algorithm.md5.digest(of: bytes))
            let document = attach(blob, to: "a")
            _ = try await store.transact { try $0.apply(document) }
            let stored = try store.read { try $0.attachmentBytes(store.row("a").attachments[0].blob) }
            #expect(isSame(stored, bytes))
            let chunks = try store.read { try $0.connection.integer("SELECT count(*) FROM chunks") }
            #expect(chunks == (length + StoreLimits.attachmentChunkBytes - 1) / StoreLimits.attachmentChunkBytes)
        }
    }

    @Test("Concurrent uploads of equal bytes are stored as one blob")
    func equalUploads() async throws {
        try await withDatastore { store in
            let bytes = [UInt8](repeating: 7, count: 600_000)
            let blobs = try await withThrowingTaskGroup(of: StoredBlob.self) { group in
                for piece in [100_000, 300_000, 600_000] {
                    group.addTask { try await upload(store, bytes, pieces: [piece]) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(blobs.map(\.number)).count == 1)
            #expect(try store.read { try $0.connection.integer("SELECT count(*) FROM chunks") } == 3)
            #expect(try store.read { try $0.connection.integer("SELECT count(*) FROM blobs") } == 1)
        }
    }

    @Test("The end of one of two uploads of equal bytes leaves the bytes to the other, the end of both removes them")
    func ends() async throws {
        try await withDatastore { store in
            let bytes = [UInt8](repeating: 7, count: 600_000)
            let (one, other) = (
                try await upload(store, bytes, pieces: [9_999]), try await upload(store, bytes, pieces: [8])
            )
            #expect(one.number == other.number)
            store.endUploads([one])
            try await store.database.collectBlobs()
            #expect(try store.read { try $0.connection.integer("SELECT count(*) FROM chunks") } == 3)
            store.endUploads([other])
            try await store.database.collectBlobs()
            #expect(try store.read { try $0.connection.integer("SELECT count(*) FROM blobs") } == 0)
        }
    }

    @Test("No document can refer to a blob whose removal has begun")
    func halfRemoved() async throws {
        try await withDatastore { store in
            let blob = try await upload(store, [UInt8](repeating: 7, count: 900_000), pieces: [99_999])
            let isGone = try await store.transact { try $0.blobs.remove(blob.number, chunksMax: 1) }
            #expect(!isGone)
            let document = attach(blob, to: "a")
            let error = await #expect(throws: StoreError.self) { try await store.transact { try $0.apply(document) } }
            #expect(error?.code == .notFound)
            store.endUploads([blob])
            try await store.database.collectBlobs()
        }
    }

    @Test("Bytes that no document uses are removed after the file is opened, the rest stays")
    func swept() async throws {
        try await withDirectory { directory in
            let (kept, lost) = try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                let kept = try await upload(store, [UInt8](repeating: 1, count: 300_000), pieces: [300_000])
                let lost = try await upload(store, [UInt8](repeating: 2, count: 300_000), pieces: [300_000])
                var unfinished = store.upload()
                try await unfinished.append([UInt8](repeating: 3, count: 1_100_000))
                let document = attach(kept, to: "a")
                _ = try await store.transact { try $0.apply(document) }
                #expect(try store.read { try $0.storedUses() }.count == 3)
                return (kept, lost)
            }
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                try await store.compact()
                #expect(try store.read { try $0.storedUses() } == [kept.number: 1])
                #expect(try store.read { try $0.connection.integer("SELECT count(*) FROM chunks") } == 2)
                let stored = try store.read { try $0.attachmentBytes(kept) }
                #expect(isSame(stored, [UInt8](repeating: 1, count: 300_000)))
                let document = attach(lost, to: "b")
                await expectFailure(.notFound) { _ = try await store.transact { try $0.apply(document) } }
                let next = try await upload(store, [9], pieces: [1])
                #expect(next.number > lost.number)
                try await store.checkInvariants()
            }
        }
    }
}
