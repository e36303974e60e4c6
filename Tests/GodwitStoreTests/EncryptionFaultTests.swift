//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitKeys
import GodwitSQLite
import Testing

@testable import GodwitStore

@Suite("Refusals of encrypted databases")
struct EncryptionFaultTests {
    private let key = EncryptionKey.random()
    private let text = "A sentence that must not be found on the disk."

    private func manager(_ directory: TemporaryDirectory, key: EncryptionKey? = nil) throws -> DatastoreManager {
        try DatastoreManager(directory: directory.path, key: key, indexes: [])
    }

    /// Writes thirty documents with attachments of several pages, and closes the directory.
    private func fill(
        _ directory: TemporaryDirectory, key: EncryptionKey? = nil, encryption: Encryption? = nil
    ) async throws {
        let manager = try manager(directory, key: key)
        let store = try await manager.datastore(named: "a", encryption: encryption)
        for number in 0..<30 {
            let bytes = [UInt8](repeating: UInt8(number + 1), count: 20_000)
            _ = try await store.create(
                Document(
                    id: "d\(number)", body: ["text": .string(text)],
                    attachments: ["x": .data(bytes, contentType: "t/x")]))
        }
        await manager.close()
    }

    private func path(in directory: TemporaryDirectory) throws -> String {
        directory.path + "/" + (try DatabaseName("a").filePath)
    }

    /// Returns the paths of a directory's files, relative to it.
    private func files(in directory: TemporaryDirectory) throws -> Set<String> {
        Set(try FileManager.default.subpathsOfDirectory(atPath: directory.path))
    }

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    private func count(
        _ directory: TemporaryDirectory, key: EncryptionKey? = nil, encryption: Encryption? = nil
    ) async throws -> Int {
        let manager = try manager(directory, key: key)
        do {
            let store = try await manager.existingDatastore(named: "a", encryption: encryption)
            let faults = try await store.check()
            #expect(faults.isEmpty, "\(faults)")
            let count = try store.documentCount
            await manager.close()
            return count
        } catch {
            await manager.close()
            throw error
        }
    }

    @Test(
        "A missing key, a wrong key, and a key for a plain database are three errors, and no file is created or changed"
    )
    func wrongKeys() async throws {
        let encryptions: [Encryption?] = [nil, .key(key), .passphrase("correct horse")]
        for (made, right) in encryptions.enumerated() {
            try await withDirectory { directory in
                try await fill(directory, encryption: right)
                let (before, whole) = try (files(in: directory), bytes(path(in: directory)))
                for (asked, encryption) in encryptions.enumerated() where asked != made {
                    let expected: StoreError.Code =
                        encryption == nil ? .encrypted : right == nil ? .notEncrypted : .wrongKey
                    await expectFailure(expected) { _ = try await count(directory, encryption: encryption) }
                }
                await expectFailure(right == nil ? .notEncrypted : .wrongKey) {
                    _ = try await count(directory, encryption: .key(.random()))
                }
                #expect(try files(in: directory) == before)
                #expect(try isSame(bytes(path(in: directory)), whole))
                #expect(try await count(directory, encryption: right) == 30)
            }
        }
    }

    @Test("A directory has the same three errors")
    func wrongKeysOfDirectories() async throws {
        for right in [nil, key] {
            try await withDirectory { directory in
                try await fill(directory, key: right)
                let before = try files(in: directory)
                if right != nil {
                    await expectFailure(.encrypted) { _ = try await count(directory) }
                    await expectFailure(.wrongKey) { _ = try await count(directory, key: .random()) }
                } else {
                    await expectFailure(.notEncrypted) { _ = try await count(directory, key: key) }
                }
                #expect(try files(in: directory) == before)
                #expect(try await count(directory, key: right) == 30)
            }
        }
    }

    @Test("A flipped bit in an attachment is an error of its page when it is read, never other bytes")
    func flippedBit() async throws {
        try await withDirectory { directory in
            try await fill(directory, key: key)
            let file = try path(in: directory)
            let whole = try bytes(file)
            var found = 0
            for page in stride(from: 2, through: whole.count / PageCipher.pageBytes, by: 7) {
                var changed = whole
                changed[(page - 1) * PageCipher.pageBytes + Int.random(in: 0..<4096)] ^= 1 << UInt8.random(in: 0..<8)
                try Data(changed).write(to: URL(filePath: file))
                found += try await damage(page, of: directory)
            }
            #expect(found > 10)
        }
    }

    /// Reads all data of a database in which one page is damaged.
    ///
    /// - Returns: The number of failed reads.
    private func damage(_ page: Int, of directory: TemporaryDirectory) async throws -> Int {
        let manager = try manager(directory, key: key)
        var failures = 0
        do {
            let store = try await manager.existingDatastore(named: "a")
            for number in 0..<30 {
                do {
                    let document = try store.document("d\(number)")
                    #expect(document.body == ["text": .string(text)])
                    let attachment = try #require(document.attachments["x"])
                    var read: [UInt8] = []
                    for try await piece in try store.bytes(of: attachment) { read += piece }
                    #expect(isSame(read, [UInt8](repeating: UInt8(number + 1), count: 20_000)))
                } catch let error as StoreError {
                    failures += 1
                    expectDamage(page, error)
                }
            }
            let faults = try await store.check()
            #expect(faults.map(\.description) == ["page \(page) does not match its authentication code"])
        } catch let error as StoreError {
            failures += 1
            expectDamage(page, error)
        }
        await manager.close()
        return failures
    }

    private func expectDamage(_ page: Int, _ error: StoreError) {
        #expect(error.code == .corrupt && error.message.contains("page \(page) does not match"), "\(error)")
    }

    @Test("The check lists every damaged page")
    func damagedPages() async throws {
        try await withDirectory { directory in
            try await fill(directory, key: key)
            let file = try path(in: directory)
            var changed = try bytes(file)
            let count = changed.count / PageCipher.pageBytes
            // Some of the first pages are read when the database is opened.
            let pages = (20...count).shuffled().prefix(9).sorted()
            for (position, page) in pages.enumerated() {
                let start = (page - 1) * PageCipher.pageBytes
                if position == 0 {
                    changed.replaceSubrange(start..<start + PageCipher.pageBytes, with: repeatElement(0, count: 4096))
                } else {
                    changed[start + Int.random(in: 0..<4096)] ^= 1
                }
            }
            try Data(changed).write(to: URL(filePath: file))
            let manager = try manager(directory, key: key)
            let store = try await manager.existingDatastore(named: "a")
            let faults = try await store.check()
            #expect(faults.map(\.description) == pages.map { "page \($0) does not match its authentication code" })
            await manager.close()
        }
    }

    @Test("The check of a database in use does not report pages that are not written yet as damaged")
    func pagesInLog() async throws {
        try await withDirectory { directory in
            var limits = StoreLimits()
            limits.checkpointPages = 100_000
            let manager = try DatastoreManager(directory: directory.path, limits: limits, key: key, indexes: [])
            let store = try await manager.datastore(named: "a")
            let ids = (0..<200).map { "d\($0)" }
            func body(_ letter: String) -> JSONObject { ["text": .string(String(repeating: letter, count: 3_000))] }
            for id in ids { _ = try await store.create(Document(id: id, body: body("a"))) }
            try await store.snapshot { _ in
                for id in ids.prefix(100) {
                    var document = try store.document(id)
                    document.body = body("b")
                    _ = try await store.update(document)
                }
                // Pages that were written again since the snapshot are only in the log. Pages with higher numbers are
                // copied to the file, so the file has gaps of zeros.
                let faults = try await store.check()
                #expect(faults.isEmpty, "\(faults)")
                let file = try bytes(path(in: directory))
                let pages = stride(from: 0, to: file.count, by: PageCipher.pageBytes)
                #expect(pages.contains { start in file[start..<start + PageCipher.pageBytes].allSatisfy { $0 == 0 } })
            }
            let faults = try await store.check()
            #expect(faults.isEmpty, "\(faults)")
            await manager.close()
        }
    }
}
