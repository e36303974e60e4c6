//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CBase
import GodwitBase
import GodwitJSON
public import GodwitKeys

/// The key of encrypted datastores, as a key provider of Cloudant Sync stored it: encrypted with AES-256-CBC by a key
/// that PBKDF2 with HMAC-SHA-1 derives from the user's password.
///
/// `CDTEncryptionKeychainProvider` archived these values in an item of the keychain. `AndroidKeyProvider` stored them
/// in the preferences of the app.
///
/// ```swift
/// let wrapped = CloudantWrappedKey(encryptedKey: encryptedDPK, salt: salt, vector: iv, rounds: iterations)
/// let store = try CloudantStore(files, key: wrapped.key(password: password))
/// ```
public struct CloudantWrappedKey: Sendable {
    /// The number of rounds of PBKDF2 that Cloudant Sync used.
    public static let roundsUsual = 10_000
    /// The maximum number of rounds: about 10 s of work.
    public static let roundsMax = 10_000_000
    private static let bytesMax = 1_024

    private let encryptedKey: [UInt8]
    private let salt: [UInt8]
    private let vector: [UInt8]
    private let rounds: Int

    /// Creates a wrapped key.
    ///
    /// - Parameters:
    ///   - encryptedKey: The encrypted key with its padding: 48 bytes.
    ///   - salt: The salt of PBKDF2: 32 bytes.
    ///   - vector: The initialization vector: 16 bytes.
    ///   - rounds: The number of rounds of PBKDF2.
    public init(
        encryptedKey: [UInt8], salt: [UInt8], vector: [UInt8], rounds: Int = CloudantWrappedKey.roundsUsual
    ) {
        (self.encryptedKey, self.salt, self.vector, self.rounds) = (encryptedKey, salt, vector, rounds)
    }

    /// Reads a wrapped key from a JSON object with the members `encryptedDPK`, `salt` and `iv`, in hexadecimal digits
    /// or Base64, and `iterations`, by default ``roundsUsual``.
    ///
    /// - Throws: ``GodwitKeys/KeyError`` with code ``GodwitKeys/KeyError/Code/damaged`` if a member is absent or not
    ///   valid.
    public init(parsing json: [UInt8]) throws(KeyError) {
        guard json.count <= CloudantWrappedKey.bytesMax, let object = (try? JSONValue(parsing: json))?.objectValue
        else {
            throw KeyError(.damaged, "A wrapped key is a JSON object with encryptedDPK, salt, iv and iterations.")
        }
        let bytes = { (member: String) throws(KeyError) -> [UInt8] in
            let text = object[member]?.stringValue ?? ""
            guard let bytes = [UInt8](hexadecimal: text.utf8) ?? Base64.decode(text.utf8), !bytes.isEmpty else {
                throw KeyError(.damaged, "\(member) of the wrapped key must be hexadecimal digits or Base64.")
            }
            return bytes
        }
        self.init(
            encryptedKey: try bytes("encryptedDPK"), salt: try bytes("salt"), vector: try bytes("iv"),
            rounds: object["iterations"]?.intValue ?? CloudantWrappedKey.roundsUsual)
    }

    /// Returns the key. Blocks the thread: for some milliseconds with ``roundsUsual``, for up to 10 s with
    /// ``roundsMax``.
    ///
    /// - Throws: ``GodwitKeys/KeyError`` with code ``GodwitKeys/KeyError/Code/wrongPassphrase`` if the key cannot be
    ///   decrypted with the password or the encrypted key is damaged, or ``GodwitKeys/KeyError/Code/damaged`` if the
    ///   vector, the salt or the number of rounds is not valid. The format has no authentication code. Therefore a
    ///   wrong password sometimes results in a wrong key instead of an error. ``CloudantStore`` refuses this key when
    ///   it opens the file.
    public func key(password: String) throws(KeyError) -> EncryptionKey {
        guard vector.count == ChainedDecryption.vectorBytes, !salt.isEmpty, 1...CloudantWrappedKey.roundsMax ~= rounds
        else {
            throw KeyError(.damaged, "The vector, the salt or the number of rounds of the wrapped key is not valid.")
        }
        let wrappingKey = derived(from: password)
        guard let bytes = decrypted(by: wrappingKey), bytes.count == EncryptionKey.byteCount else {
            throw KeyError(
                .wrongPassphrase, "The password does not open the wrapped key, or the stored key is damaged.")
        }
        return try EncryptionKey(bytes: bytes)
    }

    private func derived(from password: String) -> [UInt8] {
        let characters = Array(password.utf8)
        return [UInt8](unsafeUninitializedCapacity: EncryptionKey.byteCount) { buffer, count in
            count = buffer.count
            let isDone = ccrypto_pbkdf2_sha1(
                characters, characters.count, salt, salt.count, UInt32(clamping: rounds), buffer.baseAddress,
                buffer.count)
            precondition(isDone, "The system's cryptographic library cannot derive a key: out of memory.")
        }
    }

    private func decrypted(by wrappingKey: [UInt8]) -> [UInt8]? {
        let decryption = wrappingKey.withUnsafeBytes { ChainedDecryption(key: $0, vector: vector) }
        guard let first = try? decryption.update(encryptedKey), let last = try? decryption.finish() else { return nil }
        return first + last
    }
}
