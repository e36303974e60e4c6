//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits of keys, their files and the work on them.
public enum KeyLimits {
    /// The longest passphrase, in bytes of UTF-8.
    public static let passphraseBytesMax = 4_096

    /// The largest number of passphrases of a key file. The number is limited because a wrong passphrase is rejected
    /// only after it was tried with all passphrases of the file, which takes time.
    public static let passphrasesMax = 8

    /// The longest label of a passphrase, and the longest name of a key in a ring, in bytes of UTF-8.
    public static let labelBytesMax = 128

    /// The largest key file that is read, in bytes.
    public static let keyFileBytesMax = 64 << 10

    /// The largest amount of memory that a key file may require for one attempt with a passphrase, in bytes.
    public static let derivationBytesMax = 256 << 20

    /// The largest work that a key file may require for one attempt with a passphrase. The work is the product `n` ·
    /// `r` · `p` of scrypt's parameters. The maximum is four times the work for a new passphrase.
    public static let derivationWorkMax = 1 << 22

    /// The maximum number of operations with passphrases and keys that run at the same time in a process; further
    /// operations wait. The number is small because each of them uses 128 MB of memory.
    public static let derivationsMax = 2

    /// The maximum time, in seconds, for which a change of a key file waits while another process changes a key file in
    /// the same folder.
    public static let lockWaitSecondsMax = 30
}
