//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// A key that is wrapped (encrypted) once for each of several passphrases.
///
/// # The problem A database has one random key. The key must remain the same when a passphrase changes. Otherwise, the
/// complete database would have to be encrypted again. Therefore, the key is stored once for each passphrase, encrypted
/// with that passphrase. A wrong passphrase and a damaged file must be reported as different errors. Neither of them
/// may result in a wrong key: with a wrong key, the database would seem to be damaged.
///
/// # The form
/// A JSON object, in a key file (``KeyFile``) or in an item of a keychain:
///
///     {"format": "godwit-key-file", "version": 1, "id": 16 bytes,
///      "passphrases": [{"label": text, "kdf": "scrypt", "n": 131072, "r": 8, "p": 1, "salt": 32 bytes,
///                       "cipher": "aes-256-gcm", "nonce": 12 bytes, "key": 48 bytes}],
///      "checksum": 32 bytes}
///
/// Bytes are written as lower-case hexadecimal digits. `key` is the encrypted key, followed by the tag of 16 bytes. The
/// encryption is AES-GCM (NIST SP 800-38D) with a key that scrypt (RFC 7914) derives from the passphrase's UTF-8 and
/// `salt`.
///
/// The additional authenticated data is the canonical form (RFC 8785) of an object. This object contains `format`,
/// `version` and `id` of the file, and all members of the element of `passphrases` except `key`. Therefore, an attacker
/// can neither change the label or the cost of a wrapped key, nor move the wrapped key to another file.
///
/// `checksum` is the SHA-256 of the canonical form of the file without the member `checksum`. It does not protect the
/// file against changes by an attacker: its only purpose is to distinguish a damaged file from a wrong passphrase.
///
/// # Rejected alternatives With PBKDF2, passphrases can be guessed cheaply with graphics cards. The file could contain
/// a separate value that verifies a passphrase. However, attackers could also use this value to guess passphrases, and
/// it would not detect a damaged salt. The file could also contain a tag that is computed over all elements of
/// `passphrases` with the key. Such a tag would detect that an element was removed. But an attacker who can remove a
/// passphrase can also remove the file.
struct WrappedKey: Sendable {
    /// The key, wrapped for one passphrase.
    struct Slot: Equatable, Sendable {
        static let saltBytes = 32
        static let sealedBytes = EncryptionKey.byteCount + SealedBytes.tagBytes

        let label: String
        let cost: ScryptCost
        let salt: [UInt8]
        let nonce: [UInt8]
        /// The encrypted key and its tag.
        let sealed: [UInt8]
    }

    static let identifierBytes = 16

    /// The location of the wrapped key, for messages: a path, or the name of an item.
    let position: String
    let identifier: [UInt8]
    private(set) var slots: [Slot]

    var labels: [String] { slots.map(\.label) }

    init(position: String, identifier: [UInt8], slots: [Slot]) {
        self.position = position
        self.identifier = identifier
        self.slots = slots
    }

    /// Wraps a key with its first passphrase.
    init(position: String, wrapping key: EncryptionKey, for passphrase: Passphrase, label: String, cost: ScryptCost)
        throws(KeyError)
    {
        self.init(position: position, identifier: .random(count: WrappedKey.identifierBytes), slots: [])
        try add(passphrase, label: label, wrapping: key, cost: cost)
    }
}

// MARK: Opening

extension WrappedKey {
    /// Returns the key.
    ///
    /// - Throws: ``KeyError``: ``KeyError/Code/wrongPassphrase`` if the passphrase matches no slot,
    ///   ``KeyError/Code/unavailable`` if memory is exhausted.
    /// - Complexity: One derivation for each slot, until a slot matches.
    func unlock(_ passphrase: Passphrase) throws(KeyError) -> EncryptionKey {
        for slot in slots {
            if let key = try open(slot, with: passphrase) { return key }
        }
        throw wrongPassphrase
    }

    private var wrongPassphrase: KeyError {
        KeyError(.wrongPassphrase, "The passphrase is not one of those that open \(position). The file is not damaged.")
    }

    /// The key; `nil` if the passphrase does not match the slot.
    private func open(_ slot: Slot, with passphrase: Passphrase) throws(KeyError) -> EncryptionKey? {
        guard passphrase.isValid else { return nil }
        let wrappingKey = try slot.cost.derive(passphrase, salt: slot.salt)
        let opened = SealedBytes.open(
            slot.sealed, key: wrappingKey, nonce: slot.nonce, authenticating: authenticated(slot))
        return try opened?.withBytes { (bytes) throws(KeyError) in try EncryptionKey(bytes: bytes) }
    }
}

// MARK: Changing

extension WrappedKey {
    /// Wraps the key with an additional passphrase.
    mutating func add(_ passphrase: Passphrase, label: String, wrapping key: EncryptionKey, cost: ScryptCost)
        throws(KeyError)
    {
        try validateLabel(label)
        guard !labels.contains(where: label.isIdenticalText) else {
            throw KeyError(.labelExists, "\(position) has a passphrase with the label \(label). Choose another label.")
        }
        guard slots.count < KeyLimits.passphrasesMax else {
            throw KeyError(
                .tooManyPassphrases,
                "\(position) has \(KeyLimits.passphrasesMax) passphrases already. Remove one first.")
        }
        slots.append(try seal(key, for: passphrase, label: label, cost: cost))
    }

    /// For every slot that the old passphrase matches, wraps the key with the new passphrase instead.
    mutating func change(_ old: Passphrase, to new: Passphrase, cost: ScryptCost) throws(KeyError) {
        var changedCount = 0
        for (index, slot) in slots.enumerated() {
            guard let key = try open(slot, with: old) else { continue }
            slots[index] = try seal(key, for: new, label: slot.label, cost: cost)
            changedCount += 1
        }
        guard changedCount > 0 else { throw wrongPassphrase }
    }

    /// Removes the passphrase with a label.
    ///
    /// - Parameter remaining: One of the passphrases that remain. It proves that the caller can still read the key.
    mutating func remove(label: String, openedBy remaining: Passphrase) throws(KeyError) {
        guard labels.contains(where: label.isIdenticalText) else {
            throw KeyError(.labelNotFound, "\(position) has no passphrase with the label \(label).")
        }
        guard slots.count > 1 else {
            throw KeyError(
                .lastPassphrase, "\(label) is the only passphrase of \(position). Change it, or add another first.")
        }
        var reduced = self
        reduced.slots.removeAll { $0.label.isIdenticalText(to: label) }
        do throws(KeyError) {
            _ = try reduced.unlock(remaining)
        } catch {
            guard error.code == .wrongPassphrase else { throw error }
            throw KeyError(
                .wrongPassphrase,
                "The given passphrase does not open \(position) without \(label). Specify a passphrase that remains.")
        }
        self = reduced
    }

    private func seal(_ key: EncryptionKey, for passphrase: Passphrase, label: String, cost: ScryptCost)
        throws(KeyError) -> Slot
    {
        try passphrase.validate()
        let salt = [UInt8].random(count: Slot.saltBytes)
        let nonce = [UInt8].random(count: SealedBytes.nonceBytes)
        let draft = Slot(label: label, cost: cost, salt: salt, nonce: nonce, sealed: [])
        let wrappingKey = try cost.derive(passphrase, salt: salt)
        let sealed = key.withBytes { bytes in
            SealedBytes.seal(bytes, key: wrappingKey, nonce: nonce, authenticating: authenticated(draft))
        }
        guard let sealed else { throw KeyError(.unavailable, "The key cannot be wrapped: AES-GCM failed.") }
        return Slot(label: label, cost: cost, salt: salt, nonce: nonce, sealed: sealed)
    }

    private func validateLabel(_ label: String) throws(KeyError) {
        guard WrappedKey.isLabel(label) else {
            throw KeyError(
                .invalidLabel,
                "A label must have 1 to \(KeyLimits.labelBytesMax) bytes of UTF-8 and no control characters.")
        }
    }

    /// Whether a text can be a label or a name.
    static func isLabel(_ text: String) -> Bool {
        (1...KeyLimits.labelBytesMax).contains(text.utf8.count) && !text.utf8.contains { $0 < 0x20 || $0 == 0x7f }
    }
}
