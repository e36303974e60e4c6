//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitKeys
import Testing

@testable import GodwitStore

/// Kills the process during a change of the key of one large file.
@Suite("Resumed changes of keys")
struct ResumedConversionTests {
    private static let pageBytes = 4_096
    private let old = EncryptionKey.random()
    private let new = EncryptionKey.random()

    /// Runs `body` with an encrypted backup of a little more than three flushes.
    private func withBackup(_ body: (_ path: String) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let manager = try DatastoreManager(directory: directory, durability: .normal, key: old, indexes: [])
            let store = try await manager.datastore(named: "a")
            let bytes = PageConversion.pagesPerFlush * ResumedConversionTests.pageBytes
            for number in 0..<13 {
                _ = try await store.create(
                    Document(
                        id: "\(number)", body: [:],
                        attachments: [
                            "x": .data([UInt8](repeating: UInt8(number), count: bytes / 4), contentType: "t/x")
                        ]))
            }
            try await store.backup(to: "\(directory)/backup")
            await manager.close()
            try await body("\(directory)/backup")
        }
    }

    /// Changes the key until a number of pages is copied, then kills the process.
    ///
    /// - Returns: The bytes of these pages in the copy.
    private func cut(_ path: String, at pages: Int) async throws -> Data {
        try await Driver.run(["rekey", path, "\(pages)", old.hexadecimal, new.hexadecimal], key: nil)
        let copy = try Data(contentsOf: URL(filePath: "\(path).converting"))
        #expect(copy.count >= pages * ResumedConversionTests.pageBytes)
        return copy.prefix(pages * ResumedConversionTests.pageBytes)
    }

    private func inode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    }

    private func files(beside path: String) throws -> [String] {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("backup") }
    }

    /// Returns the decrypted bytes of a backup.
    private func plain(_ path: String, key: EncryptionKey) async throws -> Data {
        let copy = "\(path).plain"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try await DatastoreManager.changeKey(ofBackup: copy, from: key, to: nil)
        defer { try? FileManager.default.removeItem(atPath: copy) }
        return try Data(contentsOf: URL(filePath: copy))
    }

    @Test(
        "Pages that were copied before a kill are not copied again, after any number of kills, and all exist"
    )
    func goesOn() async throws {
        let step = PageConversion.pagesPerFlush
        for cuts in [[step], [2 * step], [step, 3 * step]] {
            try await withBackup { path in
                let before = try await plain(path, key: old)
                var copied: [Data] = []
                for pages in cuts { copied.append(try await cut(path, at: pages)) }
                let file = try inode("\(path).converting")
                try await DatastoreManager.changeKey(ofBackup: path, from: old, to: new)
                let whole = try Data(contentsOf: URL(filePath: path))
                // A page that is written again has another initialization vector.
                for part in copied { #expect(isSame(whole.prefix(part.count), part), "\(cuts)") }
                #expect(try inode(path) == file)
                #expect(try Backup.check(path, key: new) == 13)
                let after = try await plain(path, key: new)
                #expect(isSame(after, before))
                #expect(try files(beside: path) == ["backup"])
            }
        }
    }

    /// A change after which a copy from an interrupted conversion is useless.
    private enum Change: CaseIterable {
        case fileWritten, otherKey, copyShorter, copyOfAnother, noteTorn
    }

    @Test(
        "A copy starts again if the file was changed, another key is used, or the copy is not the recorded one")
    func beginsAnew() async throws {
        for change in Change.allCases {
            try await withBackup { path in
                let before = try await plain(path, key: old)
                let copied = try await cut(path, at: 2 * PageConversion.pagesPerFlush)
                let (copy, wanted) = ("\(path).converting", change == .otherKey ? EncryptionKey.random() : new)
                switch change {
                case .fileWritten: try rewriteLastByte(of: path)
                case .otherKey: break
                case .copyShorter: try copied.prefix(copied.count / 2).write(to: URL(filePath: copy))
                case .copyOfAnother:
                    var other = copied
                    other[0] ^= 1
                    try other.write(to: URL(filePath: copy))
                case .noteTorn: try Data("1 2 3\n".utf8).write(to: URL(filePath: copy + ConversionNote.suffix))
                }
                try await DatastoreManager.changeKey(ofBackup: path, from: old, to: wanted)
                let whole = try Data(contentsOf: URL(filePath: path))
                #expect(whole.prefix(4_096) != copied.prefix(4_096), "\(change)")
                let after = try await plain(path, key: wanted)
                #expect(isSame(after, before), "\(change)")
                #expect(try files(beside: path) == ["backup"], "\(change)")
            }
        }
    }

    private func rewriteLastByte(of path: String) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        let end = try file.seekToEnd()
        try file.seek(toOffset: end - 1)
        let byte = try file.read(upToCount: 1) ?? Data()
        try file.seek(toOffset: end - 1)
        try file.write(contentsOf: byte)
        try file.close()
    }

    @Test("A wrong key leaves an interrupted copy for the next attempt, and a damaged page stops it unchanged")
    func wrongKeyAndDamage() async throws {
        try await withBackup { path in
            let copied = try await cut(path, at: PageConversion.pagesPerFlush)
            for key in [EncryptionKey.random(), nil] {
                await #expect(throws: StoreError.self) {
                    try await DatastoreManager.changeKey(ofBackup: path, from: .random(), to: key)
                }
            }
            #expect(try Data(contentsOf: URL(filePath: "\(path).converting")).starts(with: copied))
            var damaged = try Data(contentsOf: URL(filePath: path))
            damaged[3 * PageConversion.pagesPerFlush * ResumedConversionTests.pageBytes - 5_000] ^= 1
            try damaged.write(to: URL(filePath: path))
            let error = await #expect(throws: StoreError.self) {
                try await DatastoreManager.changeKey(ofBackup: path, from: old, to: new)
            }
            #expect(
                error?.code == .corrupt
                    && error?.message.contains("page \(3 * PageConversion.pagesPerFlush - 1)") == true)
            #expect(try isSame(Data(contentsOf: URL(filePath: path)), damaged))
            #expect(try files(beside: path) == ["backup"])
        }
    }
}
