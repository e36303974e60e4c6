//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPageCipher
import CSQLite
import Synchronization

/// The storage of database files: one of SQLite's disk interfaces ("VFS"), plain or with a cipher.
package struct SQLiteDisk: Sendable {
    let name: String

    /// The cipher that encrypts the pages of files; `nil` if they are plain.
    package let cipher: PageCipher?

    /// The default disk interface: plain files that only this process uses.
    package static let system = SQLiteDisk(named: nil)

    /// The disk interface of plain files that other processes read while one process writes them.
    package static let shared = SQLiteDisk(named: sharedFiles)

    private static let sharedFiles = "unix"

    /// Whether other processes may have the files open. They cannot open encrypted files, because the index of the log
    /// of such a file is in the memory of one process.
    package var isShared: Bool { name == SQLiteDisk.sharedFiles }

    /// Creates a plain disk interface from the name of a VFS; `nil` for the VFS of ``system``.
    package init(named name: String?) {
        self.name = name ?? SQLiteDisk.ownedFiles
        cipher = nil
    }

    /// The VFS for files that only one process uses. It keeps the index of a log in memory. Other VFSs keep it in a
    /// separate file (`-shm`). When a database is opened, this file is created, and when the database is closed, it is
    /// removed. All threads of a process together can do this for only one database at a time. (SQLite, "The OS
    /// Interface or VFS", 2.1)
    private static let ownedFiles = "unix-excl"

    private init(_ cipher: PageCipher) {
        name = cipher.name
        self.cipher = cipher
    }

    /// The same disk interface with encrypted files.
    ///
    /// - Parameters:
    ///   - kind: The kind of the secret.
    ///   - secret: The bytes of the secret. They are copied, and the copy is wiped when the cipher is deallocated.
    ///   - version: The format of the files.
    ///   - pageBytes: The size of pages in bytes; `nil` for the default of the format. SQLite cannot read this size
    ///     from an encrypted file.
    package func encrypted(
        _ kind: PageCipher.Kind, _ secret: UnsafeRawBufferPointer, version: PageCipher.Version = .sqlCipher4,
        pageBytes: Int? = nil
    ) throws(SQLiteError) -> SQLiteDisk {
        SQLiteDisk(
            try PageCipher(kind, secret, on: plain.name, version: version, pageBytes: pageBytes ?? version.pageBytes))
    }

    /// The same disk interface with plain files.
    package var plain: SQLiteDisk { cipher.map { SQLiteDisk(named: $0.under) } ?? self }
}

/// A page cipher with one passphrase or key, registered with SQLite as a VFS (`CPageCipher`).
///
/// It must exist as long as a connection uses it. Its keys are wiped when it is deallocated.
package final class PageCipher: @unchecked Sendable {
    // Proof of `Sendable`: the C code uses a mutex to guard the state that connections share, and nothing else changes.

    /// The kind of a secret.
    package enum Kind: Sendable {
        /// The UTF-8 bytes of a passphrase, from which a key is derived for each file.
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

    /// The format of encrypted files.
    package enum Version: Sendable {
        /// SQLCipher 4, the format of Godwit's files.
        case sqlCipher4
        /// SQLCipher 3.
        case sqlCipher3

        var code: pagecipher_version {
            switch self {
            case .sqlCipher4: PAGECIPHER_SQLCIPHER_4
            case .sqlCipher3: PAGECIPHER_SQLCIPHER_3
            }
        }

        /// The default size of pages, in bytes.
        var pageBytes: Int { self == .sqlCipher4 ? PageCipher.pageBytes : 1_024 }
    }

    /// The size of the pages of Godwit's files, in bytes.
    package static let pageBytes = Int(PAGECIPHER_PAGE_BYTES)

    let name: String
    /// The name of the disk interface that stores the encrypted pages.
    let under: String
    /// The format of the encrypted files.
    let version: Version
    private let handle: OpaquePointer

    private static let cipherCount = Atomic<Int>(0)

    init(
        _ kind: Kind, _ secret: UnsafeRawBufferPointer, on disk: String, version: Version, pageBytes: Int
    ) throws(SQLiteError) {
        SQLiteMemory.prepare()
        let name = "godwit-cipher-\(PageCipher.cipherCount.add(1, ordering: .relaxed).newValue)"
        let newHandle = pagecipher_make(
            name, disk, kind.code, secret.baseAddress, secret.count, version.code, UInt32(pageBytes))
        guard let newHandle else {
            throw SQLiteError(
                code: SQLITE_MISUSE,
                message: "the cipher cannot be created: its key must have 32 bytes, its pages 1024 to 65536")
        }
        self.name = name
        under = disk
        self.version = version
        handle = newHandle
    }

    deinit { pagecipher_free(handle) }

    /// Whether the cipher was created with this secret. The comparison takes constant time.
    package func isCreated(_ kind: Kind, with secret: UnsafeRawBufferPointer) -> Bool {
        pagecipher_is_made_with(handle, kind.code, secret.baseAddress, secret.count)
    }

    /// Encrypts all pages of a database image in place, with a new salt.
    package func seal(_ image: inout [UInt8]) throws(SQLiteError) {
        let isSealed = image.withUnsafeMutableBytes { bytes in
            pagecipher_seal(handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
        guard isSealed else { throw SQLiteError(code: SQLITE_NOMEM, message: "a new database cannot be encrypted") }
    }
}

extension SQLiteConnection {
    /// Whether a page of an encrypted file matches its authentication code.
    ///
    /// - Parameters:
    ///   - number: The number of the page, from 1 on. The page is read from the file, and not from a cache or the log.
    ///   - mayBeBlank: Whether a page that contains only zeros is accepted. The content of such a page may be in the
    ///     log.
    package func isIntact(page number: Int, mayBeBlank: Bool) throws(SQLiteError) -> Bool {
        let code = pagecipher_check_page(UnsafeMutableRawPointer(handle), UInt32(number))
        guard Int(code) != PAGECIPHER_DAMAGED else { return false }
        guard code != SQLITE_EMPTY else { return mayBeBlank }
        try check(code, "reading page \(number)")
        return true
    }
}
