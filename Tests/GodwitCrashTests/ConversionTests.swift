//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitKeys
import GodwitStore
import Testing

/// Changes the keys of files while the process is killed.
@Suite("Interrupted changes of keys")
struct ConversionTests {
    private static let kills = Int(ProcessInfo.processInfo.environment["GODWIT_KILLS"] ?? "").map { $0 / 10 } ?? 20
    private static let names = ["a", "b", "c"]
    private static let documents = 40

    /// Writes to three databases.
    private func fill(_ directory: String) async throws {
        let manager = try DatastoreManager(directory: directory, durability: .normal, indexes: [])
        for name in ConversionTests.names {
            let store = try await manager.datastore(named: name)
            try await store.write { transaction in
                for number in 0..<ConversionTests.documents {
                    _ = try transaction.create(
                        Document(
                            id: "\(number)", body: [:],
                            attachments: ["x": .data([UInt8](repeating: 1, count: 30_000 + number), contentType: "t/x")]
                        ))
                }
            }
        }
        await manager.close()
    }

    private func files(in directory: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory)
    }

    /// Expects that a database opens with one of two keys and is complete.
    ///
    /// - Returns: Whether it was the new key.
    private func verify(
        _ name: String, in manager: DatastoreManager, old: Encryption?, new: Encryption?
    ) async throws -> Bool {
        let opened = try? await manager.existingDatastore(named: name, encryption: new)
        let store = if let opened { opened } else { try await manager.existingDatastore(named: name, encryption: old) }
        #expect(try store.documentCount == ConversionTests.documents)
        let faults = try await store.check()
        #expect(faults.isEmpty, "\(faults)")
        return opened != nil
    }

    @Test("After a kill a database has its old or its new key, is complete, and the change can be repeated")
    func databases() async throws {
        try await withTemporaryDirectory { directory in
            try await fill(directory)
            var (old, started, cut) = (nil as EncryptionKey?, 0, 0)
            // An estimate of the time of a complete change, in seconds.
            var pace = 0.04
            for round in 0..<ConversionTests.kills {
                let new = round % 3 == 2 ? nil : EncryptionKey.random()
                let arguments = ["convert", directory, "a", old?.hexadecimal ?? "none", new?.hexadecimal ?? "none"]
                _ = try await Driver.kill(after: .random(in: 0...pace), arguments)
                started += try files(in: directory).contains { $0.hasSuffix(".converting") } ? 1 : 0
                let manager = try DatastoreManager(directory: directory, indexes: [])
                let isNew = try await verify("a", in: manager, old: old.map { .key($0) }, new: new.map { .key($0) })
                cut += isNew ? 0 : 1
                await manager.close()
                #expect(try files(in: directory).allSatisfy { !$0.contains(".converting") })
                let begun = Date()
                _ = try await Driver.kill(after: 60, arguments)
                pace = -begun.timeIntervalSinceNow
                let again = try DatastoreManager(directory: directory, indexes: [])
                #expect(try await verify("a", in: again, old: old.map { .key($0) }, new: new.map { .key($0) }))
                await again.close()
                old = new
            }
            #expect(started > 0 && cut > 0 && cut < ConversionTests.kills, "\(started) files half written, \(cut) cut")
        }
    }

    @Test("The same call finishes a directory in which some files have the new key")
    func directories() async throws {
        try await withTemporaryDirectory { directory in
            try await fill(directory)
            var (old, cut) = (nil as EncryptionKey?, 0)
            for round in 0..<ConversionTests.kills {
                let new = round % 3 == 2 ? nil : EncryptionKey.random()
                let arguments = ["convert", directory, ".", old?.hexadecimal ?? "none", new?.hexadecimal ?? "none"]
                // Killed twice, so that a resumed change is interrupted too.
                for _ in 0..<2 { _ = try await Driver.kill(after: .random(in: 0...0.1), arguments) }
                cut += try files(in: directory).contains { $0.hasSuffix(".converting") } ? 1 : 0
                try await DatastoreManager.changeKey(ofDirectory: directory, from: old, to: new)
                let manager = try DatastoreManager(directory: directory, key: new, indexes: [])
                for name in ConversionTests.names {
                    #expect(try await verify(name, in: manager, old: nil, new: nil))
                }
                await manager.close()
                #expect(try files(in: directory).allSatisfy { !$0.contains(".converting") })
                old = new
            }
            #expect(cut > 0)
        }
    }
}
