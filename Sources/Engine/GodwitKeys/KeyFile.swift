//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// A file that contains one key for databases. The file stores the key several times, each time encrypted ("wrapped")
/// with another passphrase.
///
/// The key is random and never changes. Therefore a database need not be encrypted again when a passphrase is added or
/// removed. Each passphrase has a label. If you remove or change a passphrase, the old passphrase still opens old
/// copies of the file. If this is a risk, encrypt the databases with a new key.
///
/// ```swift
/// let file = KeyFile(path: "trips.keyfile")
/// let key = try await file.create(passphrase: "correct horse", label: "ana")
/// try await file.addPassphrase("battery staple", label: "ben", openedBy: "correct horse")
/// try await file.changePassphrase("correct horse", to: "a longer one")
/// print(try await file.unlock(passphrase: "battery staple") == key, try file.labels())   // true ["ana", "ben"]
/// ```
///
/// Passphrases are compared as UTF-8 bytes, without normalization. To check a passphrase, a separate thread tries it
/// with each stored form of the key, one after another. Each attempt uses 128 MB of memory and takes about 0.3 s. Only
/// the owner of the file can read the file. A change replaces the file atomically, and is on disk when the call
/// returns. If two processes change the file at the same time, one of them waits for the other.
///
/// Each call documents the codes of ``KeyError`` that are special to it. In addition, all calls may throw these codes:
/// ``KeyError/Code/noKey`` if the file is absent but must be read, ``KeyError/Code/damaged`` or
/// ``KeyError/Code/formatTooNew`` if its content is not valid, ``KeyError/Code/storage`` if the disk fails,
/// ``KeyError/Code/unavailable`` if memory is exhausted. Calls that change the file also throw ``KeyError/Code/busy``.
public struct KeyFile: Sendable {
    /// The path of the file.
    public let path: String

    private let cost: ScryptCost

    /// Creates a reference to a key file. The file need not exist, and is not read here.
    public init(path: String) {
        self.init(path: path, cost: .standard)
    }

    /// Creates a reference to a key file.
    ///
    /// - Parameter cost: The cost of deriving a key from a new passphrase.
    package init(path: String, cost: ScryptCost) {
        self.path = path
        self.cost = cost
    }

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - passphrase: The first passphrase of the file, 1 to ``KeyLimits/passphraseBytesMax`` bytes.
    ///   - label: The passphrase's label, 1 to ``KeyLimits/labelBytesMax`` bytes.
    ///   - key: The key to store; by default, a new random key.
    /// - Returns: The key.
    /// - Throws: ``KeyError``: ``KeyError/Code/keyExists`` if a file with this path exists (this file is not changed);
    ///   ``KeyError/Code/invalidPassphrase`` or ``KeyError/Code/invalidLabel`` if an argument is not valid.
    @discardableResult
    public func create(passphrase: String, label: String = "default", key: EncryptionKey = .random())
        async throws(KeyError) -> EncryptionKey
    {
        try await create(Passphrase(passphrase), label: label, key: key)
    }

    /// Reads the key with a passphrase.
    ///
    /// - Throws: ``KeyError`` with code ``KeyError/Code/wrongPassphrase`` if the file does not have this passphrase.
    public func unlock(passphrase: String) async throws(KeyError) -> EncryptionKey {
        try await unlock(Passphrase(passphrase))
    }

    /// Adds a passphrase.
    ///
    /// - Parameters:
    ///   - new: The passphrase to add, 1 to ``KeyLimits/passphraseBytesMax`` bytes.
    ///   - label: The label of the new passphrase. No other passphrase of the file may have the same label.
    ///   - passphrase: An existing passphrase of the file.
    /// - Throws: ``KeyError``: ``KeyError/Code/wrongPassphrase``, ``KeyError/Code/labelExists``,
    ///   ``KeyError/Code/tooManyPassphrases`` if the file already has ``KeyLimits/passphrasesMax`` passphrases,
    ///   ``KeyError/Code/invalidPassphrase``, ``KeyError/Code/invalidLabel``.
    public func addPassphrase(_ new: String, label: String, openedBy passphrase: String) async throws(KeyError) {
        let (new, passphrase) = (Passphrase(new), Passphrase(passphrase))
        try await change { (wrapped) throws(KeyError) in
            try wrapped.add(new, label: label, wrapping: wrapped.unlock(passphrase), cost: cost)
        }
    }

    /// Replaces a passphrase. If the file contains the same passphrase several times with different labels, it is
    /// replaced for all these labels. The key and the labels do not change.
    ///
    /// - Throws: ``KeyError``: ``KeyError/Code/wrongPassphrase`` if the file does not have the old passphrase,
    ///   ``KeyError/Code/invalidPassphrase`` if the new passphrase is empty or too long.
    public func changePassphrase(_ old: String, to new: String) async throws(KeyError) {
        let (old, new) = (Passphrase(old), Passphrase(new))
        try await change { (wrapped) throws(KeyError) in try wrapped.change(old, to: new, cost: cost) }
    }

    /// Removes the passphrase with a label.
    ///
    /// - Parameters:
    ///   - label: The label of the passphrase to remove.
    ///   - passphrase: One of the passphrases that remain. It proves that the caller can still open the file.
    /// - Throws: ``KeyError``: ``KeyError/Code/labelNotFound``, ``KeyError/Code/lastPassphrase`` if the file has only
    ///   this passphrase, ``KeyError/Code/wrongPassphrase`` if the given passphrase is not one of the passphrases that
    ///   remain.
    public func removePassphrase(label: String, openedBy passphrase: String) async throws(KeyError) {
        let passphrase = Passphrase(passphrase)
        try await change { (wrapped) throws(KeyError) in try wrapped.remove(label: label, openedBy: passphrase) }
    }

    /// The labels of the file's passphrases, the oldest first. They can be read without a passphrase.
    public func labels() throws(KeyError) -> [String] {
        try read().labels
    }
}

extension KeyFile {
    func create(_ passphrase: Passphrase, label: String, key: EncryptionKey) async throws(KeyError) -> EncryptionKey {
        try await KeyWork.run { () throws(KeyError) in
            try FolderLock.hold(PrivateFile.folder(of: path)) { () throws(KeyError) in
                guard !PrivateFile.exists(path) else {
                    throw KeyError(.keyExists, "\(path) exists already. A file with a key is never overwritten.")
                }
                try write(
                    WrappedKey(position: path, wrapping: key, for: passphrase, label: label, cost: cost), to: path)
            }
            return key
        }
    }

    func unlock(_ passphrase: Passphrase) async throws(KeyError) -> EncryptionKey {
        try await KeyWork.run { () throws(KeyError) in try read().unlock(passphrase) }
    }

    /// Deletes the file. After that, databases that are encrypted with its key can be opened only if another copy of
    /// the key exists. Does nothing if the file is absent.
    ///
    /// - Throws: ``KeyError``: ``KeyError/Code/busy``, ``KeyError/Code/storage``.
    public func remove() async throws(KeyError) {
        // If the path is a link, both the link and the file are removed.
        let (path, target) = (path, PrivateFile.resolved(path))
        try await KeyWork.run { () throws(KeyError) in
            try FolderLock.hold(PrivateFile.folder(of: target)) { () throws(KeyError) in
                try PrivateFile.remove(target)
            }
            if !path.isIdenticalText(to: target) { try PrivateFile.remove(path) }
        }
    }

    /// Reads, changes and writes the file while this process holds the lock of its folder.
    private func change(_ body: @escaping @Sendable (inout WrappedKey) throws(KeyError) -> Void) async throws(KeyError)
    {
        try await KeyWork.run { () throws(KeyError) in
            // If the path is a symbolic link, the link is kept, and the file to which it points is changed.
            let target = PrivateFile.resolved(path)
            try FolderLock.hold(PrivateFile.folder(of: target)) { () throws(KeyError) in
                var wrapped = try read()
                try body(&wrapped)
                try write(wrapped, to: target)
            }
        }
    }

    private func read() throws(KeyError) -> WrappedKey {
        let bytes = try PrivateFile(reading: path).read(KeyLimits.keyFileBytesMax + 1).withBytes { Array($0) }
        guard bytes.count <= KeyLimits.keyFileBytesMax else {
            throw KeyError(.damaged, "\(path) has more than \(KeyLimits.keyFileBytesMax) bytes: it is not a key file.")
        }
        return try WrappedKey(parsing: bytes, position: path)
    }

    private func write(_ wrapped: WrappedKey, to target: String) throws(KeyError) {
        try wrapped.serialized().withUnsafeBufferPointer { (bytes) throws(KeyError) in
            try PrivateFile.replace(target, with: UnsafeRawBufferPointer(bytes))
        }
    }
}
