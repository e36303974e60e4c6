//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CBase

/// The bytes of a passphrase. The bytes are wiped when the passphrase is deallocated, and never printed.
///
/// They are the UTF-8 bytes of the given text, without normalization. For example, `é` can be one Unicode scalar or
/// two. The two forms are different passphrases.
struct Passphrase: Sendable {
    private let memory: WipedMemory

    init(_ text: String) {
        memory = WipedMemory(byteCount: text.utf8.count) { $0.copyBytes(from: text.utf8) }
    }

    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try memory.withBytes(body)
    }

    /// Whether the passphrase can wrap a key: it has 1 to ``KeyLimits/passphraseBytesMax`` bytes.
    var isValid: Bool { (1...KeyLimits.passphraseBytesMax).contains(memory.count) }

    /// - Throws: ``KeyError`` with code ``KeyError/Code/invalidPassphrase`` if the passphrase is not valid.
    func validate() throws(KeyError) {
        guard isValid else {
            throw KeyError(
                .invalidPassphrase,
                "A passphrase must have 1 to \(KeyLimits.passphraseBytesMax) bytes of UTF-8, not \(memory.count).")
        }
    }
}

extension Passphrase: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "Passphrase" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
