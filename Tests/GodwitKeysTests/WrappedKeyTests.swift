//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import GodwitJSON
import Testing

@testable import GodwitKeys

@Suite("Wrapped keys")
struct WrappedKeyTests {
    /// Created with Python's `hashlib.scrypt` and the AES-GCM of its package `cryptography`, from the format's
    /// description alone.
    private static let known = """
        {"format": "godwit-key-file", "version": 1, "id": "000102030405060708090a0b0c0d0e0f", "passphrases": [
          {"label": "ana", "kdf": "scrypt", "n": 1024, "r": 8, "p": 1,
           "salt": "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
           "cipher": "aes-256-gcm", "nonce": "606162636465666768696a6b",
           "key": "4d8368f95efb9ed65b2414885237a45ad71fe7299f3f084a4e4a45a89578e99c88a95663e3ea57b2225df74f5be3820e"},
          {"label": "bén 🔑", "kdf": "scrypt", "n": 16, "r": 1, "p": 4,
           "salt": "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
           "cipher": "aes-256-gcm", "nonce": "a0a1a2a3a4a5a6a7a8a9aaab",
           "key": "c9abe5a4f13bd223f9c150310322893da47e0ff15e695668d3a4f40f9fdeff15df8cbe9d1b61de579e96dd5b43eb1695"}],
         "checksum": "1715ded34809372d8fbf5fd7f2df0aaa3c84d40a38fe3d95bbe8753ec5e87b95"}
        """

    private func read(_ bytes: [UInt8]) throws -> WrappedKey { try WrappedKey(parsing: bytes, position: "the file") }

    private func sample() throws -> (EncryptionKey, WrappedKey) {
        let key = EncryptionKey.random()
        var wrapped = try WrappedKey(position: "F", wrapping: key, for: Passphrase("one"), label: "first", cost: .least)
        try wrapped.add(Passphrase("two"), label: "second", wrapping: key, cost: .least)
        return (key, wrapped)
    }

    @Test("A file that another implementation wrote is opened by each of its passphrases")
    func knownAnswer() async throws {
        let wrapped = try read(Array(Self.known.utf8))
        let key = try EncryptionKey(bytes: Array(32..<64))
        #expect(wrapped.labels == ["ana", "bén 🔑"])
        #expect(try wrapped.unlock(Passphrase("correct horse")) == key)
        #expect(try wrapped.unlock(Passphrase("paßwort")) == key)
        await expect(.wrongPassphrase) { try wrapped.unlock(Passphrase("passwort")) }
        #expect(
            try JSONValue(parsing: wrapped.serialized()) == JSONValue(parsing: Self.known),
            "what was read is written as it was")
    }

    @Test("Passphrases are not normalised")
    func scalars() async throws {
        let key = EncryptionKey.random()
        let wrapped = try WrappedKey(position: "F", wrapping: key, for: Passphrase("\u{e9}"), label: "a", cost: .least)
        #expect(try wrapped.unlock(Passphrase("\u{e9}")) == key)
        await expect(.wrongPassphrase) { try wrapped.unlock(Passphrase("e\u{301}")) }
    }

    @Test("A flipped bit in a file never gives a key and is not reported as a wrong passphrase")
    func flippedBits() throws {
        let (_, wrapped) = try sample()
        let bytes = wrapped.serialized()
        for position in bytes.indices.dropLast() {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[position] ^= 1 << bit
                let error = #expect(throws: KeyError.self) { try read(flipped) }
                #expect(error.map { [.damaged, .formatTooNew].contains($0.code) } == true, "\(position), \(bit)")
            }
        }
    }

    @Test("No byte of a file can be replaced by another")
    func otherBytes() throws {
        let bytes = try sample().1.serialized()
        for position in bytes.indices.dropLast() {
            for other in [UInt8(0), 0x20, 0x22, 0x30, 0x39, 0x41, 0x5c, 0x7d, 0x80, 0xff] where bytes[position] != other
            {
                var changed = bytes
                changed[position] = other
                #expect(throws: KeyError.self) { try read(changed) }
            }
        }
    }

    @Test("A truncated file and a file with trailing bytes are damaged")
    func cut() async throws {
        let bytes = try sample().1.serialized()
        for count in 0..<bytes.count - 1 { await expect(.damaged) { try read(Array(bytes[..<count])) } }
        await expect(.damaged) { try read(bytes + bytes) }
    }

    /// Returns the file with a changed member and a correct checksum, as an attacker could write it.
    private func doctored(_ wrapped: WrappedKey, _ change: (inout JSONValue) -> Void) throws -> [UInt8] {
        var file = try JSONValue(parsing: wrapped.serialized())
        file["checksum"] = nil
        change(&file)
        // The members are written in the order of their names, because the checksum is over the canonical form.
        let members = try #require(file.objectValue)
        let sorted = JSONValue.object(JSONObject(members.map { ($0.key, canonical($0.value)) }.sorted { $0.0 < $1.0 }))
        file["checksum"] = .string(MessageDigest.Algorithm.sha256.digest(of: sorted.jsonBytes()).hexadecimal)
        return file.jsonBytes()
    }

    private func canonical(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): .array(elements.map(canonical))
        case .object(let object):
            .object(JSONObject(object.map { ($0.key, canonical($0.value)) }.sorted { $0.0 < $1.0 }))
        default: value
        }
    }

    @Test("An unchanged file opens, also if its checksum was computed by another implementation")
    func undoctored() throws {
        let (key, wrapped) = try sample()
        #expect(try read(doctored(wrapped) { _ in }).unlock(Passphrase("two")) == key)
    }

    @Test("Changes of the file together with its checksum reveal no key", arguments: ["salt", "nonce", "key"])
    func doctoredBytes(_ name: String) async throws {
        let (_, wrapped) = try sample()
        let text = try #require(JSONValue(parsing: wrapped.serialized())["passphrases"]?[0]?[name]?.stringValue)
        for position in 0..<text.utf8.count {
            var digits = Array(text.utf8)
            digits[position] = digits[position] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            let file = try doctored(wrapped) {
                $0["passphrases"]?[0]?[name] = .string(String(decoding: digits, as: UTF8.self))
            }
            await expect(.wrongPassphrase) { try read(file).unlock(Passphrase("one")) }
        }
    }

    @Test("A passphrase is bound to its label, its cost and its file")
    func authenticated() async throws {
        let (_, wrapped) = try sample()
        let changes: [(inout JSONValue) -> Void] = [
            { $0["passphrases"]?[0]?["label"] = "third" },
            { $0["passphrases"]?[0]?["p"] = 2 },
            { $0["passphrases"]?[0]?["n"] = 4 },
            { $0["id"] = "000102030405060708090a0b0c0d0e0f" },
        ]
        for change in changes {
            await expect(.wrongPassphrase) { try read(doctored(wrapped, change)).unlock(Passphrase("one")) }
        }
    }

    @Test("A file with excessive costs or an invalid format is reported as damaged immediately")
    func hostile() async throws {
        let (_, wrapped) = try sample()
        let changes: [(inout JSONValue) -> Void] = [
            { $0["passphrases"]?[0]?["n"] = .integer(1 << 40) },
            { $0["passphrases"]?[0]?["n"] = .integer(.max) },
            { $0["passphrases"]?[0]?["n"] = .bigInteger("340282366920938463463374607431768211456") },
            { $0["passphrases"]?[0]?["n"] = .double(16) },
            { $0["passphrases"]?[0]?["r"] = .integer(1 << 30) },
            { $0["passphrases"]?[1]?["p"] = .integer(1 << 30) },
            { $0["passphrases"]?[1]?["p"] = 0 },
            { $0["passphrases"]?[1]?["kdf"] = "pbkdf2" },
            { $0["passphrases"]?[1]?["cipher"] = "none" },
            { $0["passphrases"]?[1]?["salt"] = "" },
            { $0["passphrases"]?[1]?["key"] = "00" },
            { $0["passphrases"]?[1]?["label"] = "" },
            { $0["passphrases"]?[1]?["label"] = "first" },
            { $0["passphrases"]?[1]?["label"] = .string(String(repeating: "x", count: 129)) },
            { $0["passphrases"]?[1]?["more"] = true },
            { $0["passphrases"]?[1] = 7 },
            { $0["passphrases"] = [] },
            { file in file["passphrases"] = .array((0..<9).map { _ in file["passphrases"]?[0] ?? .null }) },
            { $0["passphrases"] = "none" },
            { $0["id"] = "" },
            { $0["more"] = 1 },
            { $0["version"] = 0 },
            { $0["format"] = "other" },
        ]
        for (number, change) in changes.enumerated() {
            let file = try doctored(wrapped, change)
            let error = #expect(throws: KeyError.self) { try read(file) }
            #expect(error?.code == .damaged, "\(number)")
        }
        await expect(.formatTooNew) { try read(doctored(wrapped) { $0["version"] = 2 }) }
        for text in ["", "null", "[]", "{}", "0", "\u{0}", String(repeating: "[", count: 60_000)] {
            await expect(.damaged) { try read(Array(text.utf8)) }
        }
    }
}
