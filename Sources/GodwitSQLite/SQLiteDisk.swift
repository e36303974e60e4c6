//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPageCipher
import CSQLite
import Synchronization

/// What files of databases lie on: one of SQLite's interfaces to the disk ("VFS"), as it is or under a cipher.
package struct SQLiteDisk: Sendable {
    let name: String

    /// What the pages of files are encrypted with; `nil` when they are plain.
    package let cipher: PageCipher?

    /// The system's disk.
    package static let system = SQLiteDisk(named: nil)

    /// A disk by the name of SQLite's interface to it; `nil` for the system's.
    package init(named name: String?) {
        self.name = name ?? SQLiteDisk.ownedFiles
        cipher = nil
    }

    /// The system's files, held by one process: the index of a log lies in memory then and not in a file of its own
    /// (`-shm`), which each opening would make and each closing remove, one database at a time in the whole process.
    /// (SQLite, "The OS Interface or VFS", 2.1)
    private static let ownedFiles = "unix-excl"

    private init(_ cipher: PageCipher) {
        name = cipher.name
        self.cipher = cipher
    }

    /// The same disk with encrypted files.
    ///
    /// - Parameters:
    ///   - kind: What the secret is.
    ///   - secret: Its bytes, which are copied and wiped with the cipher.
    ///   - pageBytes: The size of pages, which an encrypted file does not tell.
    package func encrypted(
        _ kind: PageCipher.Kind, _ secret: UnsafeRawBufferPointer, pageBytes: Int = PageCipher.pageBytes
    ) throws(SQLiteError) -> SQLiteDisk {
        SQLiteDisk(try PageCipher(kind, secret, on: plain.name, pageBytes: pageBytes))
    }

    /// The same disk with plain files.
    package var plain: SQLiteDisk { cipher.map { SQLiteDisk(named: $0.under) } ?? self }
}

/// What encrypts pages: one passphrase or key, known to SQLite as a disk (`CPageCipher`).
///
/// It lives as long as a connection uses it; its keys are wiped with it.
package final class PageCipher: @unchecked Sendable {
    // Proof of `Sendable`: the C side guards what connections share by a mutex; nothing else changes.

    /// What pages are encrypted with.
    package enum Kind: Sendable {
        /// The UTF-8 bytes of a passphrase, of which a key is derived for each file.
        case passphrase
        /// A key of 32 bytes.
        case key

        fileprivate var code: pagecipher_secret {
            switch self {
            case .passphrase: PAGECIPHER_PASSPHRASE
            case .key: PAGECIPHER_KEY
            }
        }
    }

    /// The size of the pages of Godwit's files.
    package static let pageBytes = Int(PAGECIPHER_PAGE_BYTES)

    let name: String
    let under: String
    private let handle: OpaquePointer

    private static let count = Atomic<Int>(0)

    init(_ kind: Kind, _ secret: UnsafeRawBufferPointer, on disk: String, pageBytes: Int) throws(SQLiteError) {
        SQLiteMemory.prepare()
        let name = "godwit-cipher-\(PageCipher.count.add(1, ordering: .relaxed).newValue)"
        let made = pagecipher_make(name, disk, kind.code, secret.baseAddress, secret.count, UInt32(pageBytes))
        guard let made else {
            throw SQLiteError(
                code: SQLITE_MISUSE, message: "no cipher can be made: its key has 32 bytes, its pages 1024 to 65536")
        }
        self.name = name
        under = disk
        handle = made
    }

    deinit { pagecipher_free(handle) }

    /// Whether this is the secret that it was made with; the time that it takes does not tell how much of it is.
    package func isMade(_ kind: Kind, with secret: UnsafeRawBufferPointer) -> Bool {
        pagecipher_is_made_with(handle, kind.code, secret.baseAddress, secret.count)
    }

    /// Encrypts the pages of a whole database, under a salt of its own.
    package func seal(_ image: inout [UInt8]) throws(SQLiteError) {
        let isDone = image.withUnsafeMutableBytes { bytes in
            pagecipher_seal(handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
        guard isDone else { throw SQLiteError(code: SQLITE_NOMEM, message: "a new database cannot be encrypted") }
    }
}

extension SQLiteConnection {
    /// Whether a page of an encrypted file matches its authentication code.
    ///
    /// - Parameters:
    ///   - number: The page, from 1 on; the file as it lies on the disk is asked, past every cache.
    ///   - mayBeBlank: Whether a page of zeros passes: what belongs there can be in the log.
    package func isWhole(page number: Int, mayBeBlank: Bool) throws(SQLiteError) -> Bool {
        let code = pagecipher_check_page(UnsafeMutableRawPointer(handle), UInt32(number))
        guard Int(code) != PAGECIPHER_DAMAGED else { return false }
        guard code != SQLITE_EMPTY else { return mayBeBlank }
        try check(code, "reading page \(number)")
        return true
    }
}
