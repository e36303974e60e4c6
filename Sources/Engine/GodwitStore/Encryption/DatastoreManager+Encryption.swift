//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitKeys
import GodwitSQLite

extension DatastoreManager {
    /// Encrypts a plain database in place.
    ///
    /// A new file is written. When the new file is complete and on disk, it replaces the old file. This needs disk
    /// space for a second file. After a crash, either the complete old file or the complete new file exists. Parts of
    /// the plain file that remain on the disk are not erased. The database is closed before the file is replaced.
    /// Therefore, an existing ``Datastore`` throws ``StoreError/Code/closed``, and its feeds end. The next
    /// ``datastore(named:encryption:)`` opens the database again. If the database already has this encryption, nothing
    /// changes.
    ///
    /// - Throws: ``StoreError``, among others with these codes:
    ///   - ``StoreError/Code/databaseNotFound`` if no database has this name.
    ///   - ``StoreError/Code/encrypted`` if the file has another encryption.
    ///   - ``StoreError/Code/noKey`` if a provider has no key.
    ///   - ``StoreError/Code/fileInUse`` if another program has the file open.
    ///   - ``StoreError/Code/diskFull`` if the disk is full.
    public func encrypt(named name: String, with encryption: Encryption) async throws(StoreError) {
        let secret = try await Secret(encryption)
        try await convert(name) { try ($0.plain, secret.disk(on: $0)) }
    }

    /// Decrypts a database in place, in the same way as ``encrypt(named:with:)`` encrypts a database. If the directory
    /// has a key, the new file is not plain, but encrypted with the directory's key.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/wrongKey`` if the encryption does not match the file, and
    ///   the errors of ``encrypt(named:with:)``.
    public func decrypt(named name: String, with encryption: Encryption) async throws(StoreError) {
        let secret = try await Secret(encryption)
        try await convert(name) { try (secret.disk(on: $0), $0) }
    }

    /// Changes the encryption of a database in place, as ``encrypt(named:with:)`` encrypts a plain database.
    ///
    /// After a crash, the same call continues the change. If the database was opened in the meantime, the change begins
    /// again. The complete file is written again. To change a passphrase quickly, keep the key in a ``KeyFile`` and
    /// change the passphrase of that file.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/wrongKey`` if `old` does not match the file, and the errors
    ///   of ``encrypt(named:with:)``.
    public func rekey(
        named name: String, from old: Encryption, to new: Encryption
    ) async throws(StoreError) {
        let (old, new) = try await (Secret(old), Secret(new))
        try await convert(name) { try (old.disk(on: $0), new.disk(on: $0)) }
    }

    private func convert(
        _ name: String, _ disks: @escaping @Sendable (SQLiteDisk) throws -> (old: SQLiteDisk, new: SQLiteDisk)
    ) async throws(StoreError) {
        guard !isReadOnly else { throw .readOnly }
        guard !disk.isShared else { throw .encryptionOfShared }
        try await whileClosed(name) { path in
            let (old, new) = try disks(self.disk)
            try FileConversion.convert(path, from: old, to: new)
        }
    }

    /// Changes the key of all files of a directory: of the databases and of the catalogue. This method can also encrypt
    /// plain files or decrypt encrypted files.
    ///
    /// The directory must not be open. All files are checked before the first file is changed. Each file is changed as
    /// in ``encrypt(named:with:)``. After a crash or a full disk the directory cannot be opened until the same call, or
    /// the reverse change, has finished. Databases with their own encryption are not changed.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - old: The current key of the directory; `nil` if the files are plain.
    ///   - new: The new key of the directory; `nil` for plain files.
    ///   - progress: Called repeatedly with the number of converted pages and the total.
    /// - Returns: The files that match neither key, relative to the directory. Such a file belongs to a database with
    ///   its own encryption, or the beginning of the file is damaged.
    /// - Throws: ``StoreError``, among others with these codes:
    ///   - ``StoreError/Code/directoryInUse`` if the directory is open.
    ///   - ``StoreError/Code/wrongKey`` if the catalogue matches neither key.
    ///   - ``StoreError/Code/corrupt`` for a damaged page.
    ///   - ``StoreError/Code/keyChangePending`` if a change between other keys was interrupted.
    ///   - ``StoreError/Code/databaseNotFound`` if it is not a directory of databases.
    ///   - ``StoreError/Code/storage`` if the directory contains files of a server module. Only the command `godwit`
    ///     can convert these files.
    @discardableResult
    public static func changeKey(
        ofDirectory directory: String, from old: EncryptionKey?, to new: EncryptionKey?,
        progress: @escaping @Sendable (_ pages: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws(StoreError) -> [String] {
        try await changeKey(ofDirectory: directory, from: old, to: new, parts: [], progress: progress)
    }

    /// Changes the key of all files of a directory, including the files of server modules.
    ///
    /// - Parameter parts: The modules.
    @discardableResult
    package static func changeKey(
        ofDirectory directory: String, from old: EncryptionKey?, to new: EncryptionKey?, parts: [any DirectoryPart],
        progress: @escaping @Sendable (_ pages: Int, _ total: Int) -> Void
    ) async throws(StoreError) -> [String] {
        try await convert(directory, from: old, to: new) { oldDisk, newDisk in
            let mark = KeyChangeRecord(keys: [old, new])
            return try DirectoryConversion(
                directory: directory, old: oldDisk, new: newDisk, mark: mark, parts: parts
            ).run(progress: progress)
        }
    }

    /// Changes the key of a backup's file, as ``changeKey(ofDirectory:from:to:progress:)`` does.
    ///
    /// - Throws: The errors of ``changeKey(ofDirectory:from:to:progress:)`` that concern a file. ``StoreError`` with
    ///   code ``StoreError/Code/fileInUse`` if the backup is being written or its key is being changed,
    ///   ``StoreError/Code/invalidBackup`` if the file belongs to a directory of databases.
    public static func changeKey(
        ofBackup path: String, from old: EncryptionKey?, to new: EncryptionKey?,
        progress: @escaping @Sendable (_ pages: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws(StoreError) {
        try await convert(path, from: old, to: new) { oldDisk, newDisk in
            guard !isInDirectory(path) else {
                throw StoreError(
                    .invalidBackup,
                    "\(path) belongs to a directory of databases with a single key. Specify the directory instead.")
            }
            let lock = try BackupLock(of: path)
            defer { withExtendedLifetime(lock) {} }
            let total = try DatabaseFiles.byteCount(path) / PageCipher.pageBytes
            // The new file may be longer than the old file, so the number of pages is limited to the total.
            if try FileConversion.convert(
                path, from: oldDisk, to: newDisk, progress: { progress(min($0, total), total) })
            {
                progress(total, total)
            }
        }
    }

    /// Whether a file belongs to a directory of databases, as a database or as the catalogue.
    private static func isInDirectory(_ path: String) -> Bool {
        path.ends(with: DatabaseName.fileSuffix)
            && DatabaseFiles.exists("\(DatabaseFiles.folder(of: DatabaseFiles.folder(of: path)))/\(Catalogue.fileName)")
            || path.ends(with: "/\(Catalogue.fileName)")
    }

    private static func convert<Result: Sendable>(
        _ subject: String, from old: EncryptionKey?, to new: EncryptionKey?,
        _ body: @escaping @Sendable (_ old: SQLiteDisk, _ new: SQLiteDisk) throws -> Result
    ) async throws(StoreError) -> Result {
        do {
            return try await BlockingPool.shared.run {
                let system = SQLiteDisk.system
                return try body(
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

    /// The disk interface for a database's files: with the given encryption, or with the encryption of the directory if
    /// none is given.
    func disk(for secret: Secret?) throws -> SQLiteDisk {
        guard let secret else { return disk }
        guard !disk.isShared else { throw StoreError.encryptionOfShared }
        if let cipher = disk.cipher, secret.isSecret(of: cipher) { return disk }
        return try secret.disk(on: disk)
    }
}

extension Datastore {
    /// Returns the datastore if it has the given encryption; otherwise throws an error.
    ///
    /// - Parameters:
    ///   - secret: The given secret; `nil` for the encryption of the directory.
    ///   - directory: The disk interface of the directory.
    func checked(_ secret: Secret?, directory: SQLiteDisk) throws(StoreError) -> Datastore {
        let cipher = database.file.disk.cipher
        guard let secret else {
            guard cipher === directory.cipher else { throw .encryptedDatabase(name) }
            return self
        }
        guard let cipher else {
            throw StoreError(.notEncrypted, "\(name) is not encrypted, but a key was given.")
        }
        guard secret.isSecret(of: cipher) else {
            throw StoreError(.wrongKey, "\(name): the key or passphrase is wrong.")
        }
        return self
    }
}

extension StoreError {
    fileprivate static func encryptedDatabase(_ name: String) -> StoreError {
        StoreError(.encrypted, "\(name) is encrypted with a separate key or passphrase. Specify it.")
    }
}
