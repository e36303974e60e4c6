//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitKeys
import GodwitSQLite

extension DatastoreManager {
    /// Encrypts a plain database in place.
    ///
    /// Its file is written anew beside the old one and takes its name when it is whole and on disk, so the room of a second
    /// one is needed meanwhile, and a crash at any instant leaves the one or the other. What the disk keeps of the plain
    /// file that is gone is out of reach. The database is closed: a ``Datastore`` held of it throws
    /// ``StoreError/Code/closed``, and the next ``datastore(named:encryption:)`` opens it again.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseNotFound``, ``StoreError/Code/encrypted`` when it is
    ///   encrypted with something else, or ``StoreError/Code/diskFull``. Encrypting it twice changes nothing.
    public func encrypt(named name: String, with encryption: Encryption) async throws(StoreError) {
        let secret = try await Secret(encryption)
        try await convert(name) { try ($0.plain, secret.disk(on: $0)) }
    }

    /// Decrypts a database in place, as ``encrypt(named:with:)`` encrypts one.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/wrongKey`` and others.
    public func decrypt(named name: String, with encryption: Encryption) async throws(StoreError) {
        let secret = try await Secret(encryption)
        try await convert(name) { try (secret.disk(on: $0), $0.plain) }
    }

    /// Encrypts a database anew with something else, as ``encrypt(named:with:)`` encrypts a plain one.
    ///
    /// The whole file is written. Where the passphrase changes and the key may stay, keep the key in a ``KeyFile`` and
    /// change its passphrase: that takes a moment.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/wrongKey`` and others.
    public func rekey(
        named name: String, from old: Encryption, to new: Encryption
    ) async throws(StoreError) {
        let (old, new) = try await (Secret(old), Secret(new))
        try await convert(name) { try (old.disk(on: $0), new.disk(on: $0)) }
    }

    private func convert(
        _ name: String, _ disks: @escaping @Sendable (SQLiteDisk) throws -> (old: SQLiteDisk, new: SQLiteDisk)
    ) async throws(StoreError) {
        try await whileClosed(name) { path in
            let (old, new) = try disks(self.disk)
            try FileConversion.convert(path, from: old, to: new)
        }
    }

    /// Gives all files of a directory another key, or none: the databases and the list of them.
    ///
    /// Nobody may have the directory open. Each file changes as ``encrypt(named:with:)`` says; after a crash, or a full disk,
    /// call it again with the same keys: what is done is left as it is. Databases with an encryption of their own are none
    /// of the directory's key and make it throw.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - old: Its key now; `nil` when its files are plain.
    ///   - new: Its key from now on; `nil` for plain files.
    ///   - progress: Called now and then with the pages that are done and the pages in all.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/directoryInUse``, ``StoreError/Code/wrongKey`` when a file
    ///   answers to neither key, ``StoreError/Code/databaseNotFound`` when there are no databases in the directory.
    public static func changeKey(
        ofDirectory directory: String, from old: EncryptionKey?, to new: EncryptionKey?,
        progress: @escaping @Sendable (_ pages: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws(StoreError) {
        try await convert(directory, from: old, to: new) { oldDisk, newDisk in
            let catalogue = "\(directory)/\(Catalogue.fileName)"
            guard DatabaseFiles.exists(catalogue) else {
                throw StoreError(.databaseNotFound, "\(directory) is no directory of databases.")
            }
            let lock = try DirectoryLock(directory: directory)
            defer { _ = lock }
            // The list last: as long as it answers to the old key, something may be left to do.
            let files = filesFound(in: directory).sorted().map { "\(directory)/\($0)" } + [catalogue]
            let pages = try files.map { try DatabaseFiles.byteCount($0) / PageCipher.pageBytes }
            let total = pages.reduce(0, +)
            var done = 0
            for (file, count) in zip(files, pages) {
                try FileConversion.convert(file, from: oldDisk, to: newDisk) {
                    // A file may become longer than it was.
                    progress(done + min($0, count), total)
                }
                done += count
                progress(done, total)
            }
        }
    }

    /// Gives the file of a backup another key, or none, as ``changeKey(ofDirectory:from:to:progress:)`` does.
    public static func changeKey(
        ofBackup path: String, from old: EncryptionKey?, to new: EncryptionKey?
    ) async throws(StoreError) {
        try await convert(path, from: old, to: new) { try FileConversion.convert(path, from: $0, to: $1) }
    }

    private static func convert(
        _ subject: String, from old: EncryptionKey?, to new: EncryptionKey?,
        _ body: @escaping @Sendable (_ old: SQLiteDisk, _ new: SQLiteDisk) throws -> Void
    ) async throws(StoreError) {
        do {
            try await BlockingPool.shared.run {
                let system = SQLiteDisk.system
                try body(
                    old.map { try Secret.key($0).disk(on: system) } ?? system,
                    new.map { try Secret.key($0).disk(on: system) } ?? system)
            }
        } catch {
            throw StoreError(wrapping: error, subject: subject)
        }
    }

    // MARK: Secrets

    func secret(of encryption: Encryption?) async throws(StoreError) -> Secret? {
        guard let encryption else { return nil }
        return try await Secret(encryption)
    }

    /// What the files of a database lie on: its own encryption before the directory's.
    func disk(for secret: Secret?) throws -> SQLiteDisk { try secret.map { try $0.disk(on: disk) } ?? disk }
}

extension Datastore {
    /// The datastore, if it is encrypted with what was given for it.
    ///
    /// - Parameters:
    ///   - secret: What was given; `nil` for the directory's key, or none.
    ///   - directory: What the files of the directory lie on.
    func checked(_ secret: Secret?, directory: SQLiteDisk) throws(StoreError) -> Datastore {
        let cipher = database.file.disk.cipher
        guard let secret else {
            guard cipher === directory.cipher else { throw .encryptedDatabase(name) }
            return self
        }
        guard let cipher else {
            throw StoreError(.notEncrypted, "\(name) is not encrypted, and a key was given.")
        }
        guard secret.isSecret(of: cipher) else {
            throw StoreError(.wrongKey, "\(name): the key or passphrase is wrong.")
        }
        return self
    }
}

extension StoreError {
    fileprivate static func encryptedDatabase(_ name: String) -> StoreError {
        StoreError(.encrypted, "\(name) is encrypted with something of its own. Give the key or passphrase.")
    }
}
