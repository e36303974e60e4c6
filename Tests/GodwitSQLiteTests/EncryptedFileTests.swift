//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitSQLite
import Testing

/// Changes the bytes of encrypted files on disk.
@Suite("Encrypted files with manipulated bytes")
struct EncryptedFileTests {
    private static let pageBytes = PageCipher.pageBytes
    private static let rows = 30
    /// The content of each row, longer than one page.
    private static let text = String(repeating: "x", count: 6_000)

    private func disk(_ first: UInt8 = 1) throws -> SQLiteDisk {
        let key = [UInt8](repeating: first, count: 32)
        return try key.withUnsafeBytes { try SQLiteDisk.system.encrypted(.key, $0) }
    }

    /// Runs `body` with the path of a file of some forty pages, and its bytes.
    private func withFile(_ body: (_ path: String, _ bytes: [UInt8]) throws -> Void) throws {
        try withTemporaryFile { file in
            let connection = try SQLiteConnection(
                path: file.path, access: .readWrite(creating: true), disk: disk())
            try connection.execute(
                """
                CREATE TABLE t(n INTEGER PRIMARY KEY, x);
                WITH k(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM k WHERE n < \(EncryptedFileTests.rows))
                INSERT INTO t SELECT n, '\(EncryptedFileTests.text)' FROM k;
                """)
            connection.close()
            try body(file.path, Array(try Data(contentsOf: URL(filePath: file.path))))
        }
    }

    /// Reads all rows and returns their number. Expects that each row has its original content.
    private func readAll(_ path: String, _ disk: SQLiteDisk) throws -> Int {
        let connection = try SQLiteConnection(path: path, access: .readOnly, disk: disk)
        defer { connection.close() }
        let statement = try connection.statement("SELECT n, x FROM t")
        var count = 0
        while try statement.step() {
            count += 1
            #expect(statement.int(0) == count && statement.string(1) == EncryptedFileTests.text)
        }
        return count
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    @Test("A flipped bit anywhere is detected when the page is read, and the error names the page")
    func bits() throws {
        try withFile { path, whole in
            #expect(try readAll(path, disk()) == EncryptedFileTests.rows)
            let count = whole.count / EncryptedFileTests.pageBytes
            #expect(count > 30)
            for page in 1...count {
                // A byte of the ciphertext, of the initialization vector, or of the authentication code; on the first
                // page after the salt.
                for range in [16..<4016, 4016..<4032, 4032..<4096] {
                    let position = Int.random(in: range)
                    var bytes = whole
                    bytes[(page - 1) * EncryptedFileTests.pageBytes + position] ^= 1 << UInt8.random(in: 0..<8)
                    try write(bytes, to: path)
                    let error = #expect(throws: SQLiteError.self) { try readAll(path, disk()) }
                    #expect(
                        error?.isDamagedPage == true, "page \(page), byte \(position): \(String(describing: error))")
                    #expect(
                        error?.message.contains("page \(page) does not match") == true, "\(String(describing: error))")
                }
            }
        }
    }

    @Test("A flipped bit in the salt results in another key, which matches no page")
    func salt() throws {
        try withFile { path, whole in
            for position in 0..<16 {
                var bytes = whole
                bytes[position] ^= 1 << UInt8.random(in: 0..<8)
                try write(bytes, to: path)
                let error = #expect(throws: SQLiteError.self) { try readAll(path, disk()) }
                #expect(error?.isWrongKey == true, "byte \(position): \(String(describing: error))")
            }
        }
    }

    @Test("Exchanged pages are detected")
    func places() throws {
        try withFile { path, whole in
            let size = EncryptedFileTests.pageBytes
            let count = whole.count / size
            for _ in 0..<20 {
                let pages = Array((2...count).shuffled().prefix(2))
                let (first, second) = ((pages[0] - 1) * size, (pages[1] - 1) * size)
                var bytes = whole
                bytes.replaceSubrange(first..<first + size, with: whole[second..<second + size])
                bytes.replaceSubrange(second..<second + size, with: whole[first..<first + size])
                try write(bytes, to: path)
                let error = #expect(throws: SQLiteError.self) { try readAll(path, disk()) }
                #expect(error?.isDamagedPage == true, "\(pages): \(String(describing: error))")
            }
        }
    }

    @Test("Any zeroed page is detected")
    func zeros() throws {
        try withFile { path, whole in
            let size = EncryptedFileTests.pageBytes
            for page in 1...whole.count / size {
                var bytes = whole
                bytes.replaceSubrange((page - 1) * size..<page * size, with: repeatElement(0, count: size))
                try write(bytes, to: path)
                let error = #expect(throws: SQLiteError.self, "page \(page)") { try readAll(path, disk()) }
                #expect(error.map { $0.isDamagedPage || page == 1 && $0.isWrongKey } == true, "page \(page)")
            }
        }
    }

    @Test("An older state of a page is accepted: the format cannot detect it")
    func olderPage() throws {
        try withFile { path, old in
            let connection = try SQLiteConnection(path: path, access: .readWrite(creating: false), disk: disk())
            try connection.execute("UPDATE t SET x = upper(x)")
            connection.close()
            let new = Array(try Data(contentsOf: URL(filePath: path)))
            #expect(new.count == old.count)
            func range(of page: Int) -> Range<Int> {
                (page - 1) * EncryptedFileTests.pageBytes..<page * EncryptedFileTests.pageBytes
            }
            // Inner pages of the tree are unchanged.
            let changed = (2...new.count / EncryptedFileTests.pageBytes).filter {
                new[range(of: $0)] != old[range(of: $0)]
            }
            let page = try #require(changed.randomElement())
            var bytes = new
            bytes.replaceSubrange(range(of: page), with: old[range(of: page)])
            try write(bytes, to: path)
            let again = try SQLiteConnection(path: path, access: .readOnly, disk: disk())
            defer { again.close() }
            #expect(try again.isIntact(page: page, mayBeBlank: false))
        }
    }

    @Test("Another key and a plain file have separate errors")
    func keys() throws {
        try withFile { path, whole in
            let wrong = #expect(throws: SQLiteError.self) { try readAll(path, disk(2)) }
            #expect(wrong?.isWrongKey == true)
            let missing = #expect(throws: SQLiteError.self) { try readAll(path, .system) }
            #expect(missing?.isNoDatabase == true && missing?.isWrongKey == false)
            let left = Array(try Data(contentsOf: URL(filePath: path)))
            #expect(left == whole)
        }
        try withTemporaryFile { file in
            let plain = try SQLiteConnection(path: file.path, access: .readWrite(creating: true))
            try plain.execute("CREATE TABLE t(n, x)")
            plain.close()
            let error = #expect(throws: SQLiteError.self) { try readAll(file.path, disk()) }
            #expect(error?.isPlain == true)
        }
    }
}
