//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Testing

@testable import GodwitKeys

/// Several real processes use one key file.
@Suite("Key files with several processes")
struct KeyProcessTests {
    private let folder: Folder
    private let path: String

    init() throws {
        folder = try Folder()
        path = folder.file("trips.keyfile")
    }

    @Test("Concurrent changes of a file by several processes are all kept")
    func changes() async throws {
        let file = KeyFile(path: path, cost: .least)
        let key = try await file.create(passphrase: "0", label: "0")
        let path = path
        await withTaskGroup { group in
            for number in 1..<KeyLimits.passphrasesMax {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String, number = number as Int] in
                        let file = KeyFile(path: path, cost: .least)
                        try await file.addPassphrase("\(number).0", label: "\(number)", openedBy: "0")
                        for round in 1...10 {
                            try await file.changePassphrase("\(number).\(round - 1)", to: "\(number).\(round)")
                        }
                    }
                }
            }
        }
        #expect(try Set(file.labels()) == Set((0..<KeyLimits.passphrasesMax).map { "\($0)" }))
        for number in 1..<KeyLimits.passphrasesMax {
            #expect(try await file.unlock(passphrase: "\(number).10") == key)
        }
        #expect(folder.names == ["trips.keyfile"])
    }

    @Test("Processes that create the same file concurrently get the same key")
    func making() async throws {
        let path = path
        await withTaskGroup { group in
            for number in 0..<6 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String, number = number as Int] in
                        let provider = KeyFileProvider(
                            file: KeyFile(path: path, cost: .least), passphrase: "one", makingFile: true)
                        try await provider.key().write(toNewFile: "\(path).\(number)")
                    }
                }
            }
        }
        let keys = try (0..<6).map { try EncryptionKey(file: "\(path).\($0)").hexadecimal }
        #expect(Set(keys).count == 1)
    }

    @Test("A process that is killed while it changes a file leaves a complete file")
    func kills() async throws {
        let file = KeyFile(path: path, cost: .least)
        let key = try await file.create(passphrase: "a")
        let path = path
        for round in 0..<20 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, round = round as Int] in
                Thread.detachNewThread {
                    usleep(UInt32(1_000 + 1_700 * round))
                    kill(getpid(), SIGKILL)
                }
                let file = KeyFile(path: path, cost: .least)
                while true {
                    _ = try? await file.changePassphrase("a", to: "b")
                    _ = try? await file.changePassphrase("b", to: "a")
                }
            }
            let opened = (try? await file.unlock(passphrase: "a")) == nil ? "b" : "a"
            #expect(try await file.unlock(passphrase: opened) == key)
        }
        #expect(folder.names.subtracting(["trips.keyfile.new"]) == ["trips.keyfile"])
    }
}
