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
    /// ``StoreError/Code/closed``, its feeds end, and the next ``datastore(named:encryption:)`` opens it again.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/databaseNotFound``, ``StoreError/Code/encrypted`` when it is
    ///   encrypted with something else, or ``StoreError/Code/diskFull``. Encrypting it twice changes nothing.
    public func encrypt(named name: String, with encryption: Encryption) async throws(StoreError) {
        let secret = try await Secret(encryption)
        try await convert(name) { try ($0.plain, secret.disk(on: $0)) }
    }

    /// Decrypts a database in place, as ``encrypt(named:with:)`` encrypts one. In a directory with a key it has that one then.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/wrongKey`` and others.
    public func decrypt(named name: String, with encryption: Encryption) async throws(StoreError) {
        let secret = try await Secret(encryption)
        try await convert(name) { try (secret.disk(on: $0), $0) }
    }

    /// Encrypts a database anew with something else, as ``encrypt(named:with:)`` encrypts a plain one.
    ///
    /// After a crash the same call goes on where it was, unless the database was opened in between; then it begins anew.
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
    /// Nobody may have the directory open. All files are looked at before the first is changed; then each changes as
    /// ``encrypt(named:with:)`` says. After a crash or a full disk the directory cannot be opened until the same call has
    /// finished, or the one the other way round. Databases with an encryption of their own stay as they are.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - old: Its key now; `nil` when its files are plain.
    ///   - new: Its key from now on; `nil` for plain files.
    ///   - progress: Called now and then with the pages that are done and the pages in all.
    /// - Returns: Files that answer to neither key, relative to the directory: those of databases with an encryption of their
    ///   own, or damaged at their beginning.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/directoryInUse``, ``StoreError/Code/wrongKey`` when the
    ///   directory answers to neither key, ``StoreError/Code/corrupt`` for a damaged page,
    ///   ``StoreError/Code/keyChangePending`` when a change between other keys was cut short,
    ///   ``StoreError/Code/databaseNotFound`` when there are no databases in the directory.
    @discardableResult
    public static func changeKey(
        ofDirectory directory: String, from old: EncryptionKey?, to new: EncryptionKey?,
        progress: @escaping @Sendable (_ pages: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws(StoreError) -> [String] {
        try await convert(directory, from: old, to: new) { oldDisk, newDisk in
            let mark = KeyChangeMark(keys: [old, new])
            return try DirectoryConversion(directory: directory, old: oldDisk, new: newDisk, mark: mark)
                .run(progress: progress)
        }
    }

    /// Gives the file of a backup another key, or none, as ``changeKey(ofDirectory:from:to:progress:)`` does.
    ///
    /// - Throws: ``StoreError`` also with code ``StoreError/Code/fileInUse`` when somebody else is doing that, or is writing
    ///   the backup.
    public static func changeKey(
        ofBackup path: String, from old: EncryptionKey?, to new: EncryptionKey?,
        progress: @escaping @Sendable (_ pages: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws(StoreError) {
        try await convert(path, from: old, to: new) { oldDisk, newDisk in
            guard !isInDirectory(path) else {
                throw StoreError(
                    .invalidBackup,
                    "\(path) belongs to a directory of databases, which has one key. Give the directory.")
            }
            let lock = try BackupLock(of: path)
            defer { withExtendedLifetime(lock) {} }
            let total = try DatabaseFiles.byteCount(path) / PageCipher.pageBytes
            // A file may become longer than it was.
            if try FileConversion.convert(
                path, from: oldDisk, to: newDisk, progress: { progress(min($0, total), total) })
            {
                progress(total, total)
            }
        }
    }

    /// Whether a file is that of a database in a directory, or its list.
    private static func isInDirectory(_ path: String) -> Bool {
        path.hasSuffix(DatabaseName.fileSuffix)
            && DatabaseFiles.exists("\(DatabaseFiles.folder(of: DatabaseFiles.folder(of: path)))/\(Catalogue.fileName)")
            || path.hasSuffix("/\(Catalogue.fileName)")
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

    /// What the files of a database lie on: its own encryption before the directory's.
    func disk(for secret: Secret?) throws -> SQLiteDisk {
        guard let secret else { return disk }
        if let cipher = disk.cipher, secret.isSecret(of: cipher) { return disk }
        return try secret.disk(on: disk)
    }
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
