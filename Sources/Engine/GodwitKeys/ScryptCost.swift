//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SystemLibraries
    import CBase
#else
    import CryptoExtras
#endif

/// The cost of trying a passphrase, given by the parameters of scrypt (RFC 7914).
package struct ScryptCost: Equatable, Sendable {
    /// The cost for new passphrases: 128 MB and about 0.3 s. (OWASP, Password Storage, 2023)
    package static let standard = ScryptCost(n: 1 << 17, r: 8, p: 1)

    /// The number of blocks, a power of two.
    package let n: Int
    /// The size of a block, in units of 128 bytes.
    package let r: Int
    /// The parallelization parameter.
    package let p: Int

    /// Creates a cost from scrypt's parameters, which are not checked here.
    package init(n: Int, r: Int, p: Int) {
        self.n = n
        self.r = r
        self.p = p
    }

    /// Whether the parameters are valid and within ``KeyLimits/derivationBytesMax`` and
    /// ``KeyLimits/derivationWorkMax``. Without these limits, a file from an untrusted source could make this process
    /// use all memory, or compute for minutes.
    var isAcceptable: Bool {
        let parameterMax = 1 << 22
        guard (2...parameterMax).contains(n), (1...parameterMax).contains(r), (1...parameterMax).contains(p),
            n & (n - 1) == 0
        else { return false }
        let (work, overflows) = (n * r).multipliedReportingOverflow(by: p)
        return !overflows && work <= KeyLimits.derivationWorkMax
            && 128 * r * (n + p) <= KeyLimits.derivationBytesMax
            // RFC 7914, section 6: `n` must be less than 2^(16 · `r`). For `r` = 2 or more, the limits above ensure
            // this.
            && (r >= 2 || n < 1 << 16)
    }

    /// Derives a key of 32 bytes from a passphrase that is not empty. Blocks its thread.
    ///
    /// - Throws: ``KeyError`` with code ``KeyError/Code/unavailable`` if memory is exhausted.
    func derive(_ passphrase: Passphrase, salt: [UInt8]) throws(KeyError) -> WipedMemory {
        try WipedMemory(byteCount: EncryptionKey.byteCount) { (key) throws(KeyError) in
            guard passphrase.withBytes({ fill(key, from: $0, salt: salt) }) else {
                throw KeyError(
                    .unavailable,
                    "The key of a passphrase cannot be derived: scrypt needs \(128 * r * n >> 20) MB of memory.")
            }
        }
    }

    /// Returns whether the key could be derived.
    private func fill(
        _ key: UnsafeMutableRawBufferPointer, from passphrase: UnsafeRawBufferPointer, salt: [UInt8]
    ) -> Bool {
        #if SystemLibraries
            return ccrypto_scrypt(
                passphrase.baseAddress, passphrase.count, salt, salt.count, UInt64(clamping: n), UInt64(clamping: r),
                UInt64(clamping: p),
                key.bindMemory(to: UInt8.self).baseAddress, key.count)
        #else
            guard
                let derived = try? KDF.Scrypt.deriveKey(
                    from: passphrase, salt: salt, outputByteCount: key.count, rounds: n, blockSize: r, parallelism: p)
            else { return false }
            derived.withUnsafeBytes { key.copyMemory(from: $0) }
            return true
        #endif
    }
}
