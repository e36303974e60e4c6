//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFoundation
import GodwitObjectStore
import GodwitObjects
import GodwitStore
import Testing

@Suite("The files of the storage")
struct ObjectDirectoryTests {
    @Test("Equal bytes have one file, which goes with the last object", arguments: [false, true])
    func sharedFiles(isEncrypted: Bool) async throws {
        try await withStorage(encrypted: isEncrypted) { storage in
            let store = try await storage.store(.files)
            try await store.createContainer("box")
            for name in ["one", "two"] { try await store.put(.bytes(pattern(100_000)), as: name, in: "box") }
            try await store.copy("two", in: "box", to: "three", in: "box")
            #expect(files(of: storage).count == 1)
            let directory = storage.module.directory
            for name in ["one", "two", "three"] {
                while try await directory.collect() {}
                #expect(files(of: storage).count == 1)
                try await store.delete(name, in: "box")
            }
            while try await directory.collect() {}
            #expect(files(of: storage).isEmpty)
            #expect(try await directory.check().faults.isEmpty)
        }
    }

    @Test("A container that two requests delete is counted once")
    func deletedTwice() async throws {
        try await withStorage { storage in
            let store = try await storage.store(.files)
            for name in ["box", "kept"] { try await store.createContainer(name) }
            let account = storage.account.id
            try await storage.module.directory.run { directory in
                let container = try #require(try directory.container("box", of: account))
                try directory.delete(container)
                #expect(throws: ObjectError.self) { try directory.delete(container) }
                #expect(try directory.account(named: "gull")?.containers == 1)
            }
        }
    }

    @Test("A reader of an object that is replaced meanwhile gets the old bytes")
    func readerKeepsItsFile() async throws {
        try await withStorage { storage in
            let store = try await storage.store(.files)
            try await store.createContainer("box")
            let old = pattern(1_000_000)
            try await store.put(.bytes(old), as: "a", in: "box")
            let reading = try await store.read("a", in: "box")
            try await store.put(.bytes([1]), as: "a", in: "box")
            while try await storage.module.directory.collect() {}
            #expect(try await reading.bytes(bytesMax: 1 << 20) == old)
        }
    }

    @Test("A changed byte is not served: neither a complete object nor, if sealed, a range", arguments: [false, true])
    func damage(isEncrypted: Bool) async throws {
        try await withStorage(encrypted: isEncrypted) { storage in
            let store = try await storage.store(.files)
            try await store.createContainer("box")
            try await store.put(.bytes(pattern(100_000)), as: "a", in: "box")
            let path = try #require(files(of: storage).first)
            var bytes = try Data(contentsOf: URL(filePath: path))
            bytes[70_000] ^= 1
            try bytes.write(to: URL(filePath: path))
            let error = await #expect(throws: ObjectError.self) {
                try await store.read("a", in: "box").bytes(bytesMax: 1 << 20)
            }
            #expect(error?.code == .corrupt)
            if isEncrypted {
                await #expect(throws: ObjectError.self) {
                    try await store.read("a", in: "box", range: 69_990..<70_010).bytes(bytesMax: 100)
                }
            }
            let faults = try await storage.module.directory.check().faults
            #expect(faults.count == 1 && faults.first?.description.contains("gull/box/a") == true)
        }
    }

    @Test("Uploads at the same time do not exceed a quota together")
    func quota() async throws {
        try await withStorage { storage in
            let store = try await storage.store(.files)
            try await store.createContainer("box")
            let (directory, account) = (storage.module.directory, storage.account.id)
            try await directory.run { try $0.setQuota(1_000_000, of: account) }
            let stored = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        (try? await store.put(.bytes(pattern(100_001 + number)), as: "\(number)", in: "box")) != nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(stored <= 9)
            #expect(try await directory.run { try $0.existingAccount(named: "gull").bytes } <= 1_000_000)
            #expect(try await directory.check().faults.isEmpty)
        }
    }

    @Test("Expired objects are not served, and the collection removes them")
    func expiry() async throws {
        try await withStorage { storage in
            let store = try await storage.store(.files)
            try await store.createContainer("box")
            let soon = Int(Date().timeIntervalSince1970) + 1
            try await store.put(.bytes([1]), as: "a", in: "box", ObjectProperties(expires: soon))
            try await Task.sleep(for: .seconds(2.1))
            await #expect(throws: ObjectError.self) { try await store.info(of: "a", in: "box") }
            #expect(try await store.objects(in: "box", ObjectPage()).objects.isEmpty)
            while try await storage.module.directory.collect() {}
            #expect(files(of: storage).isEmpty)
            try await store.deleteContainer("box")
        }
    }

    @Test("A listing of a level costs by its entries, not by the objects below them")
    func listingSkips() async throws {
        try await withStorage { storage in
            let store = try await storage.store(.files)
            try await store.createContainer("box")
            for number in 0..<300 { try await store.put(.bytes([1]), as: "\(number % 3)/\(number)", in: "box") }
            let list = try await store.objects(in: "box", ObjectPage(delimiter: "/", countMax: 3))
            #expect(list.prefixes == ["0/", "1/", "2/"] && list.next == nil)
        }
    }

    /// Returns the paths of all stored files.
    private func files(of storage: Storage) -> [String] {
        let folder = storage.manager.directory + "/objects"
        return ModuleFolder.names(in: folder).filter { $0.count == 2 }.flatMap { name in
            ModuleFolder.names(in: "\(folder)/\(name)").map { "\(folder)/\(name)/\($0)" }
        }
    }
}
