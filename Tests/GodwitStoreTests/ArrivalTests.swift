//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import GodwitKeys
import Testing

@testable import GodwitStore

@Suite("Attachments that arrive in several uploads")
struct ArrivalTests {
    private static let bytes = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    private static let announced = AnnouncedBytes(
        length: bytes.count, md5: MessageDigest.Algorithm.md5.digest(of: bytes))
    /// Limits with which no upload counts as stalled, however slow the machine is.
    private static let patient: StoreLimits = {
        var limits = StoreLimits.default
        limits.uploadStalledSecondsMax = 3_600
        return limits
    }()

    /// Returns the number of bytes that are on disk when an upload in progress has received `count` bytes.
    private static func flushed(of count: Int) -> Int {
        let size = StoreLimits.attachmentChunkBytes
        return count < size * StoreLimits.uploadChunksPerCommit ? 0 : count / size * size
    }

    /// Starts or resumes an upload up to an offset, and interrupts it. If `dies` is `true`, the upload is not
    /// suspended, as at the sudden end of the process.
    private func upload(_ store: Datastore, to end: Int, dies: Bool = false) async throws {
        var upload = try await store.upload(of: Self.announced)
        try await upload.append(Array(Self.bytes[upload.length..<end]))
        if !dies { await upload.suspend() }
    }

    /// Resumes the upload and finishes it.
    private func finish(_ store: Datastore) async throws -> StoredBlob {
        var upload = try await store.upload(of: Self.announced)
        try await upload.append(Array(Self.bytes[upload.length...]))
        return try await upload.finish()
    }

    /// Returns the number of bytes from which the next upload would resume.
    private func kept(_ store: Datastore) async throws -> Int { try await store.upload(of: Self.announced).length }

    private func arrivals(_ store: Datastore) throws -> Int {
        try store.read { try $0.has(.arrivals) ? $0.connection.integer("SELECT count(*) FROM arrivals") : 0 }
    }

    private func save(_ blob: StoredBlob, to id: String, in store: Datastore) async throws {
        let document = IncomingDocument(id: id, attachments: [.stored(name: "x", contentType: "t/x", blob: blob)])
        _ = try await store.transact { try $0.apply(document) }
    }

    private func expectSaved(_ id: String, in store: Datastore) throws {
        let stored = try store.read { try $0.attachmentBytes(store.row(id).attachments[0].blob) }
        #expect(isSame(stored, Self.bytes))
    }

    @Test(
        "Received bytes exist after the file is reopened, completely if there was time to write them",
        arguments: [1, 262_143, 262_144, 262_145, 700_000, 1_048_575, 1_048_576, 1_100_000, 1_499_999], [false, true])
    func reopened(count: Int, dies: Bool) async throws {
        try await withDirectory { directory in
            try await directory.withManager { manager in
                try await upload(try await manager.datastore(named: "test"), to: count, dies: dies)
            }
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                try await store.compact()
                #expect(try await store.check() == [])
                #expect(try await kept(store) == (dies ? Self.flushed(of: count) : count))
                let blob = try await finish(store)
                #expect(isSame(blob.digest, MessageDigest.Algorithm.sha256.digest(of: Self.bytes)))
                try await save(blob, to: "a", in: store)
                try expectSaved("a", in: store)
                #expect(try arrivals(store) == 0 && store.read { try $0.storedUses() } == [blob.number: 1])
                #expect(try await store.check() == [])
            }
        }
    }

    @Test("It continues in any number of steps, with and without reopening")
    func steps() async throws {
        try await withDirectory { directory in
            for step in 1...5 {
                try await directory.withManager { manager in
                    let store = try await manager.datastore(named: "test")
                    for position in 0..<3 {
                        let end = (3 * step + position) * 80_001
                        try await upload(store, to: end)
                        #expect(try await kept(store) == end)
                    }
                }
            }
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                try await save(try await finish(store), to: "a", in: store)
                try expectSaved("a", in: store)
                #expect(try store.read { try $0.storedUses() }.count == 1)
            }
        }
    }

    @Test("It is not an attachment before it is complete")
    func unfinished() async throws {
        try await withDatastore { store in
            try await upload(store, to: 1_200_000)
            let digest = MessageDigest.Algorithm.sha256.digest(of: Self.bytes)
            let number = try #require(try store.read { try $0.storedUses() }.keys.first)
            let claimed = StoredBlob(number: number, length: Self.bytes.count, digest: digest, md5: Self.announced.md5)
            await expectFailure(.notFound) { _ = try store.pin(claimed) }
            #expect(try store.read { try BlobTable(connection: $0.connection).find(digest: digest) } == nil)
        }
    }

    @Test(
        "Bytes with another digest are removed, including those of earlier uploads", arguments: [0, 300_000, 1_500_000])
    func mismatch(kept count: Int) async throws {
        try await withDatastore { store in
            var spoilt = Self.bytes
            spoilt[count / 2] ^= 1
            var first = try await store.upload(of: Self.announced)
            try await first.append(Array(spoilt[..<count]))
            await first.suspend()
            var second = try await store.upload(of: Self.announced)
            #expect(second.length == count)
            try await second.append(Array(spoilt[count...]))
            await expectFailure(.digestMismatch) { _ = try await second.finish() }
            #expect(try arrivals(store) == 0)
            #expect(try await kept(store) == 0)
            try await store.compact()
            #expect(try store.read { try $0.storedUses() } == [:])
            try await save(try await finish(store), to: "a", in: store)
            try expectSaved("a", in: store)
        }
    }

    @Test("Complete bytes wait for their document, also over a restart, and are not requested again")
    func whole() async throws {
        try await withDirectory { directory in
            let blob = try await directory.withManager { try await finish(try await $0.datastore(named: "test")) }
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                try await store.compact()
                #expect(try await store.check() == [])
                var upload = try await store.upload(of: Self.announced)
                #expect(upload.length == Self.bytes.count)
                #expect(try await upload.finish() == blob)
                try await save(blob, to: "a", in: store)
                #expect(try arrivals(store) == 0)
                try await store.purge("a")
                try await store.compact()
                #expect(try store.read { try $0.storedUses() } == [:])
            }
        }
    }

    @Test("Two documents with the same attachment continue independently, and share it at the end")
    func together() async throws {
        try await withDatastore(limits: Self.patient) { store in
            var one = try await store.upload(of: Self.announced)
            var two = try await store.upload(of: Self.announced)
            try await one.append(Array(Self.bytes[..<500_000]))
            try await two.append(Array(Self.bytes[..<1_200_000]))
            await one.suspend()
            // One upload is in progress, the other one can be resumed.
            #expect(try await kept(store) == 500_000)
            await two.suspend()
            one = try await store.upload(of: Self.announced)
            two = try await store.upload(of: Self.announced)
            #expect(one.length == 1_200_000 && two.length == 500_000)
            for (id, upload) in ["one": one, "two": two] {
                var upload = upload
                try await upload.append(Array(Self.bytes[upload.length...]))
                try await save(try await upload.finish(), to: id, in: store)
            }
            #expect(try store.read { try $0.storedUses() }.values.sorted() == [2])
            #expect(try arrivals(store) == 0)
        }
    }

    @Test("A stalled upload loses its bytes to the next one")
    func stalled() async throws {
        var limits = StoreLimits.default
        limits.uploadStalledSecondsMax = 0
        try await withDatastore(limits: limits) { store in
            var lost = try await store.upload(of: Self.announced)
            try await lost.append(Array(Self.bytes[..<1_200_000]))
            let held = Self.flushed(of: 1_200_000)
            let told = try store.arrived(of: [Self.announced])
            #expect(told.map(\.bytes) == [held] && told.map(\.isActive) == [false])
            var next = try await store.upload(of: Self.announced, from: held - 1_000)
            #expect(next.length == held)
            // From now on the bytes belong to the second upload. Calls of the first upload do not change this.
            await expectFailure(.notFound) {
                try await lost.append(Array(Self.bytes[1_200_000...]))
                _ = try await lost.finish()
            }
            await lost.suspend()
            try await lost.drop()
            try await next.append(Array(Self.bytes[held...]))
            try await save(try await next.finish(), to: "a", in: store)
            try expectSaved("a", in: store)
            #expect(try arrivals(store) == 0)
        }
    }

    @Test("An active upload is listed and keeps its bytes")
    func inProgress() async throws {
        try await withDatastore(limits: Self.patient) { store in
            #expect(try store.arrived(of: [Self.announced]).map(\.bytes) == [0])
            var running = try await store.upload(of: Self.announced)
            try await running.append(Array(Self.bytes[..<1_200_000]))
            #expect(try store.arrived(of: [Self.announced]).map(\.isActive) == [true])
            await expectFailure(.arrivalMissing) { _ = try await store.upload(of: Self.announced, from: 1) }
            try await running.append(Array(Self.bytes[1_200_000...]))
            let blob = try await running.finish()
            #expect(try store.arrived(of: [Self.announced]).map(\.bytes) == [Self.bytes.count])
            try await save(blob, to: "a", in: store)
            #expect(try store.arrived(of: [Self.announced]).map(\.bytes) == [0])
        }
    }

    @Test("It is removed when it is too old")
    func tooOld() async throws {
        try await withDirectory { directory in
            try await directory.withManager { try await upload(try await $0.datastore(named: "test"), to: 900_000) }
            var limits = StoreLimits.default
            limits.arrivalsSecondsMax = 0
            try await directory.withManager(limits: limits) { manager in
                let store = try await manager.datastore(named: "test")
                try await store.compact()
                #expect(try store.read { try $0.storedUses() } == [:])
                #expect(try arrivals(store) == 0)
                // The cleanup does not remove an upload in progress.
                var upload = try await store.upload(of: Self.announced)
                try await upload.append(Array(Self.bytes[..<1_200_000]))
                try await store.compact()
                try await upload.append(Array(Self.bytes[1_200_000...]))
                try await save(try await upload.finish(), to: "a", in: store)
                try expectSaved("a", in: store)
            }
        }
    }

    @Test("If there are too many bytes, the oldest are removed")
    func tooMany() async throws {
        var limits = StoreLimits.default
        limits.arrivalsBytesMax = 1_000_000
        try await withDatastore(limits: limits) { store in
            let announced = (0..<4).map { AnnouncedBytes(length: 9_999_999, md5: [UInt8](repeating: $0, count: 16)) }
            for one in announced {
                var upload = try await store.upload(of: one)
                try await upload.append([UInt8](repeating: 7, count: 400_000))
                await upload.suspend()
                try await Task.sleep(for: .milliseconds(3))
            }
            try await store.compact()
            var kept: [Int] = []
            for one in announced { kept.append(try await store.upload(of: one).length) }
            #expect(kept == [0, 0, 400_000, 400_000])
            #expect(try store.read { try $0.storedUses() }.count == 2)
        }
    }

    @Test("Bytes that an older version removed, completely or in part, are fetched again", arguments: [0, 1, 4])
    func swept(chunksLeft: Int) async throws {
        try await withDatastore { store in
            try await upload(store, to: 1_200_000)
            try await store.transact { transaction in
                let number = try #require(try transaction.documents.storedUses().keys.first)
                _ = try transaction.blobs.remove(number, chunksMax: chunksLeft == 0 ? .max : 5 - chunksLeft)
            }
            #expect(try await store.check() == [])
            #expect(try await kept(store) == 0)
            try await save(try await finish(store), to: "a", in: store)
            try expectSaved("a", in: store)
        }
    }

    @Test("Bytes without a digest to verify them are not kept")
    func withoutDigest() async throws {
        try await withDatastore { store in
            var upload = store.upload()
            try await upload.append(Array(Self.bytes[..<1_200_000]))
            await upload.suspend()
            try await store.compact()
            #expect(try store.read { try $0.storedUses() } == [:])
            #expect(AnnouncedBytes(length: 1, md5Text: "md5-short") == nil)
            #expect(AnnouncedBytes(length: 1, md5Text: "") == nil)
        }
    }

    @Test("A backup contains the received bytes, and uploads continue in it as in the database")
    func backup() async throws {
        try await withDirectory { directory in
            let copy = directory.path + "/copy"
            try await directory.withManager { manager in
                let store = try await manager.datastore(named: "test")
                try await upload(store, to: 700_000)
                try await store.backup(to: copy)
                try await manager.restore(from: copy, named: "restored")
                let restored = try await manager.datastore(named: "restored")
                #expect(try await restored.check() == [])
                #expect(try await kept(restored) == 700_000)
                try await save(try await finish(restored), to: "a", in: restored)
                try expectSaved("a", in: restored)
            }
        }
    }

    @Test("It is encrypted if the file is")
    func encrypted() async throws {
        let text = Array("Bytes that must not be found on the disk. ".utf8)
        let bytes = (0..<30_000).flatMap { _ in text }
        let announced = AnnouncedBytes(length: 9_999_999, md5: [UInt8](repeating: 1, count: 16))
        let key = try EncryptionKey(hexadecimal: String(repeating: "47", count: 32))
        for key in [nil, key] {
            try await withDirectory { directory in
                let manager = try DatastoreManager(
                    directory: directory.path, durability: .normal, key: key, indexes: [])
                let store = try await manager.datastore(named: "test")
                var upload = try await store.upload(of: announced)
                try await upload.append(bytes)
                await upload.suspend()
                var found = false
                for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
                    let content = FileManager.default.contents(atPath: directory.path + "/" + name) ?? Data()
                    found = found || content.range(of: Data(text)) != nil
                }
                #expect(found == (key == nil))
                #expect(try await store.upload(of: announced).length == bytes.count)
                await manager.close()
            }
        }
    }
}
