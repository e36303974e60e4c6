//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CBase
import GodwitBase

/// A provider that reads the key from a keyring in the memory of the Linux kernel; see keyrings(7).
///
/// One process stores the key in the ring, for example after it asked for a passphrase. All processes that share
/// the ring can read the key. The key is only in memory. Therefore it is lost when the machine restarts. Many
/// containers forbid the use of kernel keyrings, for example Docker's default profile. In such a container, and on
/// systems other than Linux, the calls throw ``KeyError/Code/unavailable``.
///
/// ```swift
/// let ring = KernelKeyringProvider(keyName: "trips", ring: .user)
/// try await ring.put(.random())
/// let key = try await ring.key()
/// ```
public struct KernelKeyringProvider: KeyProvider {
    /// The scope of a keyring.
    public enum Ring: Sendable, Hashable {
        /// All processes of the user.
        case user
        /// The processes of one session, which is a login or a service. All processes of a user that belong to no
        /// session share one ring.
        case session
    }

    /// The key's name in the ring, without its prefix `godwit:`.
    public let keyName: String

    /// The ring.
    public let ring: Ring

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - keyName: The key's name, 1 to ``KeyLimits/labelBytesMax`` bytes. All processes that share the ring can
    ///     see it.
    ///   - ring: The scope of the ring.
    public init(keyName: String, ring: Ring = .user) {
        self.keyName = keyName
        self.ring = ring
    }

    /// The ring and the key's name.
    public var name: String { "key godwit:\(keyName) in the kernel's keyring of the \(ring)" }

    /// Reads the key from the ring.
    ///
    /// - Throws: ``KeyError``: ``KeyError/Code/noKey`` if no key has this name, or the key expired or was revoked,
    ///   ``KeyError/Code/invalidKey`` if the key does not have 32 bytes, ``KeyError/Code/invalidLabel`` if the name
    ///   is not valid, ``KeyError/Code/unavailable``.
    public func key() async throws(KeyError) -> EncryptionKey {
        try await inRing { (ring) throws(KeyError) in try read(find(in: ring)) }
    }

    /// Stores a key in the ring. Does nothing if the ring has the same key.
    ///
    /// Only one process should store the key. If two processes store different keys at the same time, the ring
    /// contains the key that was stored last.
    ///
    /// - Throws: ``KeyError``: ``KeyError/Code/keyExists`` if the ring has another key with this name,
    ///   ``KeyError/Code/invalidKey`` if the key in the ring does not have 32 bytes, ``KeyError/Code/noKey`` if the
    ///   key in the ring expired or was revoked, ``KeyError/Code/invalidLabel`` if the name is not valid,
    ///   ``KeyError/Code/unavailable``.
    public func put(_ key: EncryptionKey) async throws(KeyError) {
        try await inRing { (ring) throws(KeyError) in
            if let number = try search(in: ring) {
                guard try read(number) != key else { return }
                throw KeyError(.keyExists, "The \(name) exists already and differs. Remove it first.")
            }
            _ = try check(
                key.withBytes {
                    godwit_add_key(fullName, $0.baseAddress!, $0.count, Int32(truncatingIfNeeded: ring))
                })
        }
    }

    /// Removes the key from the ring.
    ///
    /// - Throws: ``KeyError``: ``KeyError/Code/noKey`` if no key has this name, ``KeyError/Code/invalidLabel`` if
    ///   the name is not valid, ``KeyError/Code/unavailable``.
    public func remove() async throws(KeyError) {
        try await inRing { (ring) throws(KeyError) in
            _ = try check(godwit_keyctl(KEYCTL_UNLINK, find(in: ring), ring, 0, 0))
        }
    }
}

extension KernelKeyringProvider {
    private var fullName: String { "godwit:\(keyName)" }

    /// Runs `body` with the number of the ring, on a thread that may read the keys in the ring.
    ///
    /// A process can find a key in its user's ring, but can read it only if the ring is linked to one of the
    /// process's own rings. Whether the ring is linked depends on how the session of the process began. Therefore,
    /// this method links the user's ring to the ring of the thread. The ring of the thread is removed when the
    /// thread ends. `body` receives the number of an existing ring and not the special number that means "the
    /// session ring of this thread". With the special number, if there were no session, adding a key would create a
    /// new session for this thread.
    private func inRing<Result: Sendable>(
        _ body: @escaping @Sendable (UInt) throws(KeyError) -> Result
    ) async throws(KeyError) -> Result {
        guard WrappedKey.isLabel(keyName) else {
            throw KeyError(
                .invalidLabel,
                "A key's name must have 1 to \(KeyLimits.labelBytesMax) bytes of UTF-8 and no control characters."
            )
        }
        return try await KeyWork.run { () throws(KeyError) in
            let number = try check(godwit_keyctl(KEYCTL_GET_KEYRING_ID, ring.argument, 0, 0, 0))
            if ring == .user {
                let thread = UInt(bitPattern: Int(KEY_SPEC_THREAD_KEYRING))
                _ = try check(godwit_keyctl(KEYCTL_LINK, number, thread, 0, 0))
            }
            return try body(number)
        }
    }

    /// Returns the number of the key; `nil` if the ring contains no key with this name.
    private func search(in ring: UInt) throws(KeyError) -> UInt? {
        let number = "user".withCString { type in
            fullName.withCString { name in
                godwit_keyctl(KEYCTL_SEARCH, ring, UInt(bitPattern: type), UInt(bitPattern: name), 0)
            }
        }
        return number == -Int(ENOKEY) ? nil : try check(number)
    }

    private func find(in ring: UInt) throws(KeyError) -> UInt {
        guard let number = try search(in: ring) else { throw noKey }
        return number
    }

    private var noKey: KeyError { KeyError(.noKey, "The \(name) does not exist. Add it first.") }

    private func read(_ number: UInt) throws(KeyError) -> EncryptionKey {
        var count: UInt = 0
        let memory = try WipedMemory(byteCount: EncryptionKey.byteCount) { (buffer) throws(KeyError) in
            count = try check(
                godwit_keyctl(KEYCTL_READ, number, UInt(bitPattern: buffer.baseAddress), UInt(buffer.count), 0))
        }
        guard count == EncryptionKey.byteCount else {
            throw KeyError(
                .invalidKey, "The \(name) has \(count) bytes, but a key must have \(EncryptionKey.byteCount).")
        }
        return try memory.withBytes { (bytes) throws(KeyError) in try EncryptionKey(bytes: bytes) }
    }

    /// Returns the result of a system call. Throws an error if the result is an error.
    private func check(_ result: Int) throws(KeyError) -> UInt {
        guard result < 0 else { return UInt(result) }
        let reason = String(cString: strerror(Int32(-result)))
        switch Int32(-result) {
        case ENOKEY, ENOENT: throw noKey
        case EKEYEXPIRED, EKEYREVOKED:
            throw KeyError(.noKey, "The \(name) is not valid any more (\(reason)). Add it again.")
        case EDQUOT, ENOMEM:
            throw KeyError(
                .unavailable, "The keyring has no space for the \(name): \(reason). See /proc/key-users.")
        default:
            throw KeyError(
                .unavailable,
                "The \(name) cannot be used: \(reason). The kernel or the container may forbid keyrings, and only "
                    + "Linux has them.")
        }
    }
}

extension KernelKeyringProvider.Ring {
    /// The ring as an argument of a system call.
    fileprivate var argument: UInt {
        switch self {
        case .user: UInt(bitPattern: Int(KEY_SPEC_USER_KEYRING))
        case .session: UInt(bitPattern: Int(KEY_SPEC_SESSION_KEYRING))
        }
    }
}
