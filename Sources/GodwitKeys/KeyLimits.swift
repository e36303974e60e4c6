//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits of keys, their files and the work on them.
public enum KeyLimits {
    /// The longest passphrase, in bytes of UTF-8.
    public static let passphraseBytesMax = 4_096

    /// The passphrases of one key file. Each that is tried costs a derivation, so this bounds what a wrong one costs.
    public static let passphrasesMax = 8

    /// The longest label of a passphrase, and the longest name of a key in a ring, in bytes of UTF-8.
    public static let labelBytesMax = 128

    /// The largest key file that is read, in bytes.
    public static let keyFileBytesMax = 64 << 10

    /// The memory that the derivation of a stored passphrase may ask for, in bytes.
    public static let derivationBytesMax = 256 << 20

    /// The work that the derivation of a stored passphrase may ask for: `n` · `r` · `p` of scrypt, four times that of a
    /// new one.
    public static let derivationWorkMax = 1 << 22

    /// The derivations of a process that run at a time; others wait. Each takes 128 MB.
    public static let derivationsMax = 2

    /// How long a change of a key file waits for another process that changes one, in seconds.
    public static let lockWaitSecondsMax = 30
}
