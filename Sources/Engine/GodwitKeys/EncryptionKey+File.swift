//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A key can be stored in plain form, as a file of 64 hexadecimal digits. Anyone who can read this file has the key. In
/// contrast, a ``KeyFile`` contains the key in encrypted form, and reading the key requires a passphrase.
extension EncryptionKey {
    /// Reads a key from a file.
    ///
    /// - Parameter path: A file of 64 hexadecimal digits, of either case, with an optional line end.
    /// - Throws: ``KeyError``: ``KeyError/Code/noKey`` if the file is absent, ``KeyError/Code/exposed`` if users other
    ///   than its owner can read or write it, ``KeyError/Code/passphraseNeeded`` for a key file with passphrases,
    ///   ``KeyError/Code/invalidKey`` for any other content, ``KeyError/Code/damaged`` if the path does not name a
    ///   regular file, ``KeyError/Code/storage`` if the file cannot be read.
    public init(file path: String) throws(KeyError) {
        let file = try PrivateFile(reading: path)
        guard !file.isOpenToOthers else {
            throw KeyError(
                .exposed,
                "Users other than its owner have access to \(path), which holds a key. Run `chmod 600 \(path)`, and "
                    + "create a new key if they may have read this one.")
        }
        // Up to two bytes may follow as a line end. One more byte is read to detect any further content.
        let text = try file.read(2 * EncryptionKey.byteCount + 3)
        self = try text.withBytes { (text) throws(KeyError) in
            if text.first == UInt8(ascii: "{") {
                throw KeyError(.passphraseNeeded, "\(path) needs a passphrase: open it as a KeyFile.")
            }
            return try EncryptionKey(digits: EncryptionKey.line(text), from: "The content of \(path)")
        }
    }

    /// Writes the key to a new file that only its owner can read. The file is on disk when the call returns.
    ///
    /// - Throws: ``KeyError``: ``KeyError/Code/keyExists`` if a file has this path, ``KeyError/Code/storage`` if the
    ///   disk fails.
    public func write(toNewFile path: String) throws(KeyError) {
        let text = WipedMemory(byteCount: 2 * EncryptionKey.byteCount + 1) { text in
            withBytes { Hexadecimal.encode($0, into: text) }
            text[text.count - 1] = UInt8(ascii: "\n")
        }
        try text.withBytes { (text) throws(KeyError) in try PrivateFile.write(text, toNew: path) }
        try PrivateFile.flushFolder(of: path)
    }

    /// Returns the text without its line end. If the text has no line end, it is returned unchanged.
    private static func line(_ text: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        var line = text[...]
        if line.last == UInt8(ascii: "\n") {
            line = line.dropLast()
            if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        }
        return line
    }
}
