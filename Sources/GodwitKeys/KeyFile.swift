//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A file that holds the key of databases, wrapped for each of several passphrases.
///
/// The key is random and stays; passphrases come and go without a database being encrypted anew. Each has a label. A
/// passphrase that was removed or changed still opens a copy of the file that somebody kept: give the databases a new key
/// when that matters.
///
/// ```swift
/// let file = KeyFile(path: "trips.keyfile")
/// let key = try await file.create(passphrase: "correct horse", label: "ana")
/// try await file.addPassphrase("battery staple", label: "ben", openedBy: "correct horse")
/// try await file.changePassphrase("correct horse", to: "a longer one")
/// print(try await file.unlock(passphrase: "battery staple") == key, try file.labels())   // true ["ana", "ben"]
/// ```
///
/// Passphrases are the bytes of their UTF-8 as given; nothing is normalised. Each one that is tried costs 128 MB and about
/// 0.3 s on a thread of its own. The file is written for its owner alone, whole or not at all, and is on the disk when a
/// call returns; two processes that change one wait for each other. All calls throw ``KeyError``, with
/// ``KeyError/Code/noKey`` when there is no file, ``KeyError/Code/damaged`` or ``KeyError/Code/formatTooNew`` when it
/// cannot be read, and ``KeyError/Code/storage`` when the disk refuses.
public struct KeyFile: Sendable {
    /// Where the file is.
    public let path: String

    private let cost: ScryptCost

    /// A key file that is there or that is to be made. Nothing is read yet.
    public init(path: String) {
        self.init(path: path, cost: .standard)
    }

    /// - Parameter cost: What a new passphrase costs to try.
    package init(path: String, cost: ScryptCost) {
        self.path = path
        self.cost = cost
    }

    /// Makes the file.
    ///
    /// - Parameters:
    ///   - passphrase: Its first passphrase, 1 to ``KeyLimits/passphraseBytesMax`` bytes.
    ///   - label: The passphrase's label, 1 to ``KeyLimits/labelBytesMax`` bytes.
    ///   - key: The key to keep; without one, a new random one.
    /// - Returns: The key.
    /// - Throws: ``KeyError`` with code ``KeyError/Code/keyExists`` when anything has this name: that is left as it is.
    @discardableResult
    public func create(passphrase: String, label: String = "default", key: EncryptionKey = .random())
        async throws(KeyError) -> EncryptionKey
    {
        try await create(Passphrase(passphrase), label: label, key: key)
    }

    /// The key.
    ///
    /// - Throws: ``KeyError`` with code ``KeyError/Code/wrongPassphrase`` when the passphrase is none of the file's.
    public func unlock(passphrase: String) async throws(KeyError) -> EncryptionKey {
        try await unlock(Passphrase(passphrase))
    }

    /// Adds a passphrase.
    ///
    /// - Parameters:
    ///   - new: The passphrase to add, 1 to ``KeyLimits/passphraseBytesMax`` bytes.
    ///   - label: Its label, which no other passphrase of the file has.
    ///   - passphrase: One that the file has.
    /// - Throws: ``KeyError``: ``KeyError/Code/wrongPassphrase``, ``KeyError/Code/labelExists``,
    ///   ``KeyError/Code/tooManyPassphrases`` beyond ``KeyLimits/passphrasesMax``.
    public func addPassphrase(_ new: String, label: String, openedBy passphrase: String) async throws(KeyError) {
        let (new, passphrase) = (Passphrase(new), Passphrase(passphrase))
        try await change { (wrapped) throws(KeyError) in
            try wrapped.add(new, label: label, wrapping: wrapped.unlock(passphrase), cost: cost)
        }
    }

    /// Puts a new passphrase in the place of an old one, which then opens nothing. The key and the label stay.
    ///
    /// - Throws: ``KeyError`` with code ``KeyError/Code/wrongPassphrase`` when the old one is none of the file's.
    public func changePassphrase(_ old: String, to new: String) async throws(KeyError) {
        let (old, new) = (Passphrase(old), Passphrase(new))
        try await change { (wrapped) throws(KeyError) in try wrapped.change(old, to: new, cost: cost) }
    }

    /// Removes the passphrase with a label.
    ///
    /// - Parameters:
    ///   - label: The label of the one to remove.
    ///   - passphrase: One that stays, as a proof that nobody locks himself out.
    /// - Throws: ``KeyError``: ``KeyError/Code/labelNotFound``, ``KeyError/Code/lastPassphrase`` for the only one,
    ///   ``KeyError/Code/wrongPassphrase`` when the one given opens nothing that stays.
    public func removePassphrase(label: String, openedBy passphrase: String) async throws(KeyError) {
        let passphrase = Passphrase(passphrase)
        try await change { (wrapped) throws(KeyError) in try wrapped.remove(label: label, openedBy: passphrase) }
    }

    /// The labels of the file's passphrases, oldest first. No passphrase is needed to see them.
    public func labels() throws(KeyError) -> [String] {
        try read().labels
    }
}

extension KeyFile {
    func create(_ passphrase: Passphrase, label: String, key: EncryptionKey) async throws(KeyError) -> EncryptionKey {
        try await KeyWork.run { () throws(KeyError) in
            try FolderLock.hold(PrivateFile.folder(of: path)) { () throws(KeyError) in
                guard !PrivateFile.exists(path) else {
                    throw KeyError(.keyExists, "\(path) is there already. A file with a key is never overwritten.")
                }
                try write(WrappedKey(place: path, wrapping: key, for: passphrase, label: label, cost: cost), to: path)
            }
            return key
        }
    }

    func unlock(_ passphrase: Passphrase) async throws(KeyError) -> EncryptionKey {
        try await KeyWork.run { () throws(KeyError) in try read().unlock(passphrase) }
    }

    /// Reads, changes and writes the file, while nobody else does.
    private func change(_ body: @escaping @Sendable (inout WrappedKey) throws(KeyError) -> Void) async throws(KeyError)
    {
        try await KeyWork.run { () throws(KeyError) in
            // A link stays a link, and what it leads to is changed.
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
            throw KeyError(.damaged, "\(path) has more than \(KeyLimits.keyFileBytesMax) bytes: it is no key file.")
        }
        return try WrappedKey(parsing: bytes, place: path)
    }

    private func write(_ wrapped: WrappedKey, to target: String) throws(KeyError) {
        try wrapped.serialized().withUnsafeBufferPointer { (bytes) throws(KeyError) in
            try PrivateFile.replace(target, with: UnsafeRawBufferPointer(bytes))
        }
    }
}
