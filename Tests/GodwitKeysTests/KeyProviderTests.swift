//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Testing

@testable import GodwitKeys

@Suite("Providers of keys")
struct KeyProviderTests {
    @Test("The provider of a key file creates the file if allowed, and then returns the same key")
    func file() async throws {
        let folder = try Folder()
        let file = KeyFile(path: folder.file("k"), cost: .least)
        let careful = KeyFileProvider(file: file, passphrase: "one", makingFile: false)
        await expect(.noKey) { try await careful.key() }
        #expect(folder.names.isEmpty)

        let maker = KeyFileProvider(file: file, passphrase: "one", makingFile: true)
        let key = try await maker.key()
        #expect(try await maker.key() == key)
        #expect(try await careful.key() == key)
        #expect(maker.name == file.path)

        let mistaken = KeyFileProvider(file: file, passphrase: "two", makingFile: true)
        await expect(.wrongPassphrase) { try await mistaken.key() }
        _ = try folder.write("{", to: "k")
        await expect(.damaged) { try await maker.key() }
        #expect(try contents(file.path) == [UInt8(ascii: "{")])
    }

    @Test("The provider of a key file needs a passphrase to create the file")
    func emptyPassphrase() async throws {
        let folder = try Folder()
        let provider = KeyFileProvider(path: folder.file("k"), passphrase: "", makingFile: true)
        await expect(.invalidPassphrase) { try await provider.key() }
        #expect(folder.names.isEmpty)
    }

    @Test("An environment variable provides its key, and its errors name the fault")
    func environment() async {
        // In a separate process, because all threads share the environment.
        await #expect(processExitsWith: .success) {
            let provider = EnvironmentKeyProvider(variable: "GODWIT_TEST_KEY")
            #expect(provider.name == "$GODWIT_TEST_KEY")
            unsetenv("GODWIT_TEST_KEY")
            await expect(.noKey) { try await provider.key() }
            setenv("GODWIT_TEST_KEY", "", 1)
            await expect(.noKey) { try await provider.key() }
            let key = EncryptionKey.random()
            setenv("GODWIT_TEST_KEY", key.hexadecimal, 1)
            let given = try await provider.key()
            #expect(given == key)
            setenv("GODWIT_TEST_KEY", key.hexadecimal + "00", 1)
            do {
                _ = try await provider.key()
                Issue.record("A key of 33 bytes was taken.")
            } catch let error as KeyError {
                #expect(error.code == .invalidKey)
                #expect(error.message.contains("GODWIT_TEST_KEY"))
                #expect(!error.message.contains(key.hexadecimal))
            }
        }
    }

    @Test("An app's own provider works like any other")
    func own() async throws {
        struct Own: KeyProvider {
            let name = "own"
            func key() async throws(KeyError) -> EncryptionKey { throw KeyError(.unavailable, "The vault is closed.") }
        }
        let provider: any KeyProvider = Own()
        await expect(.unavailable) { try await provider.key() }
    }
}
