//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if os(Linux)
    import CBase
    import CPageCipher
    import Foundation
    import GodwitSQLite
    import TestKit
    import Testing

    /// Checks that keys and pages of an encrypted file do not remain in memory.
    @Suite("Memory with encrypted files")
    struct CipherMemoryTests {
        @Test("The key and the pages are in memory while a file is open, and are erased when it is closed")
        func wiped() async throws {
            let path = NSTemporaryDirectory() + "godwit-cipher-memory-" + UUID().uuidString
            defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
            await #expect(processExitsWith: .success) { [path = path as String] in
                let row = try hiddenRow()
                var key: [UInt8] = []
                do {
                    let passphrase = Array("correct horse".utf8)
                    let disk = try passphrase.withUnsafeBytes { bytes in
                        try SQLiteDisk.system.encrypted(.passphrase, bytes)
                    }
                    let connection = try SQLiteConnection(path: path, access: .readWrite(creating: true), disk: disk)
                    try connection.configureWriter(synchronous: .normal, cacheBytes: 1 << 20)
                    try connection.execute("CREATE TABLE t(a)")
                    try insert(row, into: connection)
                    key = try hiddenKey(ofFile: path, passphrase: passphrase)
                    let held = try (ProcessMemory.holds(key), ProcessMemory.holds(row))
                    #expect(held == (true, true))
                    connection.close()
                }
                let left = try (ProcessMemory.holds(key), ProcessMemory.holds(row))
                #expect(left == (false, false))
            }
        }
    }

    /// Returns the row with each byte xor 0xa5, so that a search of the memory does not find the test's own copy.
    private func hiddenRow() throws -> [UInt8] {
        (0..<2_000).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 / 251) }
    }

    private func insert(_ hidden: [UInt8], into connection: SQLiteConnection) throws {
        var bytes = hidden.map { $0 ^ 0xa5 }
        let statement = try connection.statement("INSERT INTO t VALUES(?1)")
        statement.bind(bytes, at: 1)
        try statement.run()
        statement.bindNull(at: 1)
        bytes.withUnsafeMutableBytes { godwit_wipe($0.baseAddress, $0.count) }
    }

    /// Returns the key of a file, each byte xor 0xa5.
    private func hiddenKey(ofFile path: String, passphrase: [UInt8]) throws -> [UInt8] {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        let salt = [UInt8](try file.read(upToCount: 16) ?? Data())
        var key = [UInt8](repeating: 0, count: 32)
        let isDone = pagecipher_derive(passphrase, passphrase.count, salt, &key)
        #expect(isDone)
        for position in key.indices { key[position] ^= 0xa5 }
        return key
    }
#endif
