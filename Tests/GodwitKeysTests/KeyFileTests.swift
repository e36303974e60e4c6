//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import Testing

@testable import GodwitKeys

@Suite("Key files")
struct KeyFileTests {
    private let folder: Folder
    private let file: KeyFile

    init() throws {
        folder = try Folder()
        file = KeyFile(path: folder.file("trips.keyfile"), cost: .least)
    }

    @Test("A new file contains a random or the given key, and only its owner can access it")
    func create() async throws {
        let key = try await file.create(passphrase: "one", label: "ana")
        #expect(try await file.unlock(passphrase: "one") == key)
        #expect(try file.labels() == ["ana"])
        #expect(try mode(file.path) == 0o600)
        #expect(folder.names == ["trips.keyfile"])

        let other = KeyFile(path: folder.file("other"), cost: .least)
        let given = EncryptionKey.random()
        #expect(try await other.create(passphrase: "one", key: given) == given)
        #expect(try await other.unlock(passphrase: "one") == given)
        #expect(given != key)
    }

    @Test("With the cost of a new passphrase outside of tests")
    func standardCost() async throws {
        let file = KeyFile(path: file.path)
        let key = try await file.create(passphrase: "one")
        #expect(try await file.unlock(passphrase: "one") == key)
        await expect(.wrongPassphrase) { try await file.unlock(passphrase: "two") }
    }

    @Test("A new file never overwrites another one")
    func exists() async throws {
        try await file.create(passphrase: "one")
        let before = try contents(file.path)
        await expect(.keyExists) { try await file.create(passphrase: "two") }
        #expect(try contents(file.path) == before)
        let link = KeyFile(path: folder.file("link"), cost: .least)
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: folder.file("nothing"))
        await expect(.keyExists) { try await link.create(passphrase: "one") }
        await expect(.storage) { try await KeyFile(path: folder.file("no/folder")).create(passphrase: "one") }
        #expect(folder.names == ["trips.keyfile", "link"])
    }

    @Test("A wrong passphrase, a damaged file and a missing file are different errors")
    func differences() async throws {
        await expect(.noKey) { try await file.unlock(passphrase: "one") }
        await expect(.noKey) { try file.labels() }
        await expect(.noKey) { try await file.changePassphrase("one", to: "two") }
        try await file.create(passphrase: "one")
        for wrong in ["two", "One", "one ", "", String(repeating: "x", count: 5_000)] {
            await expect(.wrongPassphrase) { try await file.unlock(passphrase: wrong) }
        }
        await expect(.passphraseNeeded) { try EncryptionKey(file: file.path) }

        let whole = try contents(file.path)
        _ = try folder.write(String(decoding: whole.dropLast(20), as: UTF8.self), to: "trips.keyfile")
        await expect(.damaged) { try await file.unlock(passphrase: "one") }
        await expect(.damaged) { try await file.addPassphrase("two", label: "b", openedBy: "one") }
        _ = try folder.write(String(repeating: " ", count: 1 << 20), to: "trips.keyfile")
        await expect(.damaged) { try await file.unlock(passphrase: "one") }
        await expect(.damaged) { try await KeyFile(path: folder.path).unlock(passphrase: "one") }
    }

    @Test("Passphrases are added, changed and removed, and the key does not change")
    func manage() async throws {
        let key = try await file.create(passphrase: "one", label: "ana")
        try await file.addPassphrase("two", label: "ben", openedBy: "one")
        try await file.addPassphrase("three", label: "cy", openedBy: "two")
        #expect(try file.labels() == ["ana", "ben", "cy"])
        for passphrase in ["one", "two", "three"] { #expect(try await file.unlock(passphrase: passphrase) == key) }

        try await file.changePassphrase("two", to: "zwei")
        await expect(.wrongPassphrase) { try await file.unlock(passphrase: "two") }
        #expect(try await file.unlock(passphrase: "zwei") == key)
        #expect(try file.labels() == ["ana", "ben", "cy"])

        try await file.removePassphrase(label: "ana", openedBy: "three")
        await expect(.wrongPassphrase) { try await file.unlock(passphrase: "one") }
        #expect(try file.labels() == ["ben", "cy"])
        #expect(try await file.unlock(passphrase: "three") == key)
        #expect(try mode(file.path) == 0o600)
        #expect(folder.names == ["trips.keyfile"])
    }

    @Test("A refused change leaves the file unchanged")
    func refused() async throws {
        try await file.create(passphrase: "one", label: "ana")
        await expect(.lastPassphrase) { try await file.removePassphrase(label: "ana", openedBy: "one") }
        try await file.addPassphrase("two", label: "ben", openedBy: "one")
        let before = try contents(file.path)
        await expect(.wrongPassphrase) { try await file.addPassphrase("x", label: "c", openedBy: "no") }
        await expect(.labelExists) { try await file.addPassphrase("x", label: "ben", openedBy: "one") }
        for label in ["", "a\nb", "\u{7f}", String(repeating: "l", count: 129)] {
            await expect(.invalidLabel) { try await file.addPassphrase("x", label: label, openedBy: "one") }
        }
        for passphrase in ["", String(repeating: "x", count: 4_097)] {
            await expect(.invalidPassphrase) { try await file.addPassphrase(passphrase, label: "c", openedBy: "one") }
            await expect(.invalidPassphrase) { try await file.changePassphrase("one", to: passphrase) }
        }
        await expect(.wrongPassphrase) { try await file.changePassphrase("no", to: "x") }
        await expect(.labelNotFound) { try await file.removePassphrase(label: "cy", openedBy: "one") }
        // A user who knows only the removed passphrase would be locked out.
        await expect(.wrongPassphrase) { try await file.removePassphrase(label: "ana", openedBy: "one") }
        #expect(try contents(file.path) == before)

        for number in 3...8 { try await file.addPassphrase("\(number)", label: "\(number)", openedBy: "two") }
        await expect(.tooManyPassphrases) { try await file.addPassphrase("9", label: "9", openedBy: "one") }
    }

    @Test("If two labels have the same passphrase, a change replaces both: the old one opens nothing")
    func twice() async throws {
        let key = try await file.create(passphrase: "same", label: "ana")
        try await file.addPassphrase("same", label: "ben", openedBy: "same")
        try await file.changePassphrase("same", to: "new")
        await expect(.wrongPassphrase) { try await file.unlock(passphrase: "same") }
        #expect(try await file.unlock(passphrase: "new") == key)
    }

    @Test("The encrypted key of a passphrase is never written twice")
    func fresh() async throws {
        try await file.create(passphrase: "one")
        var seen: Set<[UInt8]> = []
        for _ in 0..<20 {
            try await file.changePassphrase("one", to: "one")
            let slot = try WrappedKey(parsing: contents(file.path), position: file.path).slots[0]
            #expect(
                seen.insert(slot.salt).inserted && seen.insert(slot.nonce).inserted && seen.insert(slot.sealed).inserted
            )
        }
    }

    @Test("A file behind a symbolic link is changed at its location")
    func link() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("far"), withIntermediateDirectories: true)
        let far = KeyFile(path: folder.file("far/key"), cost: .least)
        let key = try await far.create(passphrase: "one")
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "far/key")
        try await file.changePassphrase("one", to: "two")
        #expect(try await far.unlock(passphrase: "two") == key)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.path) == "far/key")
    }

    @Test("Remains of an interrupted change do not disturb later ones")
    func leftover() async throws {
        try await file.create(passphrase: "one")
        _ = try folder.write("half", to: "trips.keyfile.new", mode: 0o444)
        try await file.changePassphrase("one", to: "two")
        #expect(folder.names == ["trips.keyfile"])
    }

    @Test("A change waits while another process changes a file in the folder, with a time limit")
    func lock() async throws {
        try await file.create(passphrase: "one")
        // Processes that other tests start meanwhile must not inherit it.
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_EX) == 0)
        await expect(.busy) { try FolderLock.hold(folder.path, secondsMax: 0) {} }
        _ = try await file.unlock(passphrase: "one")
        let before = try contents(file.path)
        // Released on a separate thread: with many tests at once, a task may resume after the timeout of the change.
        let path = file.path
        let meanwhile = Mutex([UInt8]())
        let isStarted = BlockingThread.start {
            usleep(100_000)
            meanwhile.withLock { $0 = (try? contents(path)) ?? [] }
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        try #require(isStarted)
        try await file.changePassphrase("one", to: "two")
        #expect(meanwhile.withLock { $0 } == before)
        _ = try await file.unlock(passphrase: "two")
    }

    @Test("Many concurrent requests all get the key")
    func many() async throws {
        let key = try await file.create(passphrase: "one")
        let file = file
        try await withThrowingTaskGroup(of: EncryptionKey.self) { group in
            for _ in 0..<200 { group.addTask { try await file.unlock(passphrase: "one") } }
            for try await other in group { #expect(other == key) }
        }
    }
}
