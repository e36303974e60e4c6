//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error of an operation with a key. Its message also tells the user what to do.
///
/// The message never contains a key or a passphrase.
public struct KeyError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error. Later versions may add kinds. Therefore, a `switch` over kinds needs a default case.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name, for example `wrongPassphrase`.
        public let description: String

        /// The passphrase is wrong. The key file or the item in the keychain is intact.
        public static let wrongPassphrase = Code(description: "wrongPassphrase")
        /// The file was read as a plain key, but it is a key file, whose key is encrypted with passphrases.
        public static let passphraseNeeded = Code(description: "passphraseNeeded")
        /// The key is absent.
        public static let noKey = Code(description: "noKey")
        /// A key already exists in the place where a new key was to be stored.
        public static let keyExists = Code(description: "keyExists")
        /// The file or the item is damaged, or is not a key file.
        public static let damaged = Code(description: "damaged")
        /// The key file was written by a newer Godwit.
        public static let formatTooNew = Code(description: "formatTooNew")
        /// The key's storage cannot be used: the kernel, the container or the keychain refuses access. The code has two
        /// further causes: there is not enough memory for the work on a key, or no thread can be started.
        public static let unavailable = Code(description: "unavailable")
        /// The given value is not a key of 32 bytes.
        public static let invalidKey = Code(description: "invalidKey")
        /// A new passphrase is empty or longer than ``KeyLimits/passphraseBytesMax``.
        public static let invalidPassphrase = Code(description: "invalidPassphrase")
        /// A label or a name is empty, too long or has control characters.
        public static let invalidLabel = Code(description: "invalidLabel")
        /// Another passphrase of the key file has this label.
        public static let labelExists = Code(description: "labelExists")
        /// No passphrase of the key file has this label.
        public static let labelNotFound = Code(description: "labelNotFound")
        /// The only passphrase of a key file cannot be removed.
        public static let lastPassphrase = Code(description: "lastPassphrase")
        /// The key file has ``KeyLimits/passphrasesMax`` passphrases already.
        public static let tooManyPassphrases = Code(description: "tooManyPassphrases")
        /// A file with a plain key can be read or written by users other than its owner.
        public static let exposed = Code(description: "exposed")
        /// A key file could not be changed, because another process locked the folder for longer than
        /// ``KeyLimits/lockWaitSecondsMax``.
        public static let busy = Code(description: "busy")
        /// The disk or the file system failed.
        public static let storage = Code(description: "storage")
    }

    /// The kind of the error.
    public let code: Code

    /// The message for the user: the failed operation, its object, and the remedy.
    public let message: String

    /// The underlying error of another layer, if any.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
