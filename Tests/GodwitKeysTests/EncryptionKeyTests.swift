//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import TestKit
import Testing

@testable import GodwitKeys

@Suite("Keys")
struct EncryptionKeyTests {
    private let digits = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

    @Test("A key from bytes and a key from digits are equal")
    func forms() throws {
        let key = try EncryptionKey(bytes: Array(0..<32))
        #expect(try EncryptionKey(hexadecimal: digits) == key)
        #expect(try EncryptionKey(hexadecimal: digits.uppercased()) == key)
        #expect(try EncryptionKey(bytes: Data(0..<32)) == key)
        #expect(key.hexadecimal == digits)
        #expect(key.withBytes { Array($0) } == Array(0..<32))
    }

    @Test("Only 32 bytes are accepted")
    func counts() async throws {
        for count in [0, 1, 31, 33, 64] {
            await expect(.invalidKey) { try EncryptionKey(bytes: [UInt8](repeating: 1, count: count)) }
        }
        let mistaken = [
            "", String(digits.dropLast()), digits + "0", digits + "\n", "x" + digits.dropFirst(),
            "0x" + digits.dropFirst(2),
            String(repeating: "é", count: 32), String(digits.dropLast()) + " ",
        ]
        for text in mistaken { await expect(.invalidKey) { try EncryptionKey(hexadecimal: text) } }
    }

    @Test("Keys that differ in a single bit are not equal")
    func equality() throws {
        for bit in 0..<256 {
            var bytes = [UInt8](repeating: 0, count: 32)
            bytes[bit / 8] = 1 << (bit % 8)
            #expect(try EncryptionKey(bytes: bytes) != EncryptionKey(bytes: [UInt8](repeating: 0, count: 32)))
        }
        #expect(EncryptionKey.random() != EncryptionKey.random())
    }

    @Test("No output shows a key, a passphrase or the content of an invalid key")
    func silence() throws {
        let key = try EncryptionKey(hexadecimal: digits)
        var said = "\(key) \(String(reflecting: key)) \([key]) "
        dump(key, to: &said)
        let provider = KeyFileProvider(path: "F", passphrase: "secret")
        said += "\(provider) \(String(reflecting: provider)) "
        dump(provider, to: &said)
        for bytes in [Array("secret".utf8), Array(0..<32)] {
            #expect(!said.contains(bytes.hexadecimal) && !said.contains("\(bytes)") && !said.contains("secret"))
        }
        #expect(!said.contains("0001") && !said.contains("[0, 1"))
        let error = #expect(throws: KeyError.self) { try EncryptionKey(hexadecimal: "secret") }
        #expect(error?.message.contains("secret") == false)
    }

    @Test("A key is written for its owner only, never over another file, and can be read")
    func file() async throws {
        let folder = try Folder()
        let path = folder.file("a.key")
        let key = EncryptionKey.random()
        try key.write(toNewFile: path)
        #expect(try mode(path) == 0o600)
        #expect(try contents(path) == Array((key.hexadecimal + "\n").utf8))
        #expect(try EncryptionKey(file: path) == key)

        await expect(.keyExists) { try EncryptionKey.random().write(toNewFile: path) }
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"), withDestinationPath: folder.file("nothing"))
        await expect(.keyExists) { try key.write(toNewFile: folder.file("link")) }
        await expect(.storage) { try key.write(toNewFile: folder.file("no/such/folder")) }
        #expect(try EncryptionKey(file: path) == key)
        #expect(folder.names == ["a.key", "link"])
    }

    @Test("A file may have any line ending, but no other content")
    func fileForms() async throws {
        let folder = try Folder()
        for end in ["", "\n", "\r\n"] {
            #expect(try EncryptionKey(file: folder.write(digits + end, to: "a")).hexadecimal == digits)
        }
        let mistaken = ["", "\n", digits + "\n\n", digits + " \n", digits + "\n#", "\n" + digits, digits + digits]
        for text in mistaken { await expect(.invalidKey) { try EncryptionKey(file: folder.write(text, to: "a")) } }
        await expect(.noKey) { try EncryptionKey(file: folder.file("b")) }
        await expect(.damaged) { try EncryptionKey(file: folder.path) }
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        await expect(.damaged) { try EncryptionKey(file: folder.file("pipe")) }
    }

    @Test("A file that others can access is refused, and the error says how to fix it")
    func permissions() async throws {
        let folder = try Folder()
        for mode in [0o640, 0o604, 0o644, 0o620, 0o602, 0o660, 0o666] {
            let path = try folder.write(digits, to: "a", mode: mode)
            let error = #expect(throws: KeyError.self) { try EncryptionKey(file: path) }
            #expect(error?.code == .exposed)
            #expect(error?.message.contains("chmod 600 \(path)") == true)
        }
        for mode in [0o600, 0o400, 0o700] {
            #expect(try EncryptionKey(file: folder.write(digits, to: "a", mode: mode)).hexadecimal == digits)
        }
    }

    #if os(Linux)
        @Test("The memory of a process contains no key after the last copy was released")
        func wiped() async throws {
            let path = try Folder().path
            await #expect(processExitsWith: .success) { [path = path as String] in
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(atPath: path) }
                let file = KeyFile(path: "\(path)/k", cost: .least)
                // Many keys, because freed memory may be reused before it is searched.
                var keys = [try await file.create(passphrase: "p")]
                for _ in 0..<100 { keys.append(try await file.unlock(passphrase: "p")) }
                // The allocator soon overwrites the first 16 bytes of freed memory, so the others are searched. The
                // test's copy of them is masked, so that the search does not find it.
                let hidden = keys[0].withBytes { $0.dropFirst(16).map { $0 ^ 0xa5 } }
                #expect(try ProcessMemory.holds(hidden))
                keys = []
                #expect(try !ProcessMemory.holds(hidden))
            }
        }
    #endif
}
