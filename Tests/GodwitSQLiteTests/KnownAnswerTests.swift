//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPageCipher
import Foundation
import GodwitSQLite
import Testing

@Suite("Encrypted pages compared to known values")
struct KnownAnswerTests {
    /// `hashlib.pbkdf2_hmac("sha512", passphrase, salt, 256000, 32)` of Python 3.13.
    private static let derivations: [(passphrase: String, salt: [UInt8], key: String)] = [
        ("correct horse", Array(0..<16), "9118a024311c6a93d17484b07c24ec754e0559cc3b687954de6daa9ad9495042"),
        (
            "", Array(repeating: 0xff, count: 16),
            "80af3168b5032920d865d67262504220c937fde83b604d803273e9ce76c8043f"
        ),
        (
            "p\u{e4}ssw\u{f6}rd \u{1f511}", Array("0123456789abcdef".utf8),
            "e28c7e981a50896e7cc41774b541c8e85e6a9e4d922a8b6a36fe903aea25336c"
        ),
    ]

    @Test("A passphrase and a salt give the key of PBKDF2", arguments: derivations.indices)
    func derivation(position: Int) {
        let known = KnownAnswerTests.derivations[position]
        let passphrase = Array(known.passphrase.utf8)
        var key = [UInt8](repeating: 0, count: Int(PAGECIPHER_KEY_BYTES))
        #expect(pagecipher_derive(passphrase, passphrase.count, known.salt, &key))
        #expect(key.map { String(format: "%02x", $0) }.joined() == known.key)
    }

    /// The secrets with which `Fixtures/make.py` encrypted the files.
    private static let secrets: [String: (kind: PageCipher.Kind, bytes: [UInt8])] = [
        "key": (.key, (0..<4).flatMap { _ in [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef] as [UInt8] }),
        "passphrase": (.passphrase, Array("correct horse".utf8)),
    ]

    @Test("A file that SQLCipher wrote is read", arguments: ["key", "passphrase"], [4096, 8192])
    func fixture(secret: String, pageBytes: Int) throws {
        let (kind, bytes) = try #require(KnownAnswerTests.secrets[secret])
        let disk = try bytes.withUnsafeBytes { try SQLiteDisk.system.encrypted(kind, $0, pageBytes: pageBytes) }
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/\(secret)-\(pageBytes).sqlcipher").path
        let connection = try SQLiteConnection(path: path, access: .readOnlyAtRest, disk: disk)
        defer { connection.close() }
        for (sql, answer) in [("SELECT word FROM words", "open sesame"), ("PRAGMA integrity_check", "ok")] {
            let statement = try connection.statement(composed: sql)
            #expect(try statement.step() && statement.string(0) == answer)
            statement.reset()
        }
    }
}
