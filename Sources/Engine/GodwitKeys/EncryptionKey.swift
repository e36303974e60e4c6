//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CBase
import GodwitBase

/// The key of an encrypted database: 32 bytes.
///
/// All copies of a key share one block of memory. This memory is wiped (overwritten with zeros) when the last copy is
/// deallocated. Two keys are compared in constant time. The functions `print` and `dump` do not show a key. You may
/// create a key from an array or a text, or convert a key to a text. These arrays and texts are not wiped, so keep them
/// in memory for as short a time as possible.
///
/// ```swift
/// let key = EncryptionKey.random()
/// try key.write(toNewFile: "trips.key")
/// let same = try EncryptionKey(file: "trips.key")
/// print(key == same, key)      // true EncryptionKey
/// ```
public struct EncryptionKey: Sendable {
    /// The number of bytes of a key.
    public static let byteCount = 32

    let wipedMemory: WipedMemory

    /// Creates a key from 32 bytes.
    ///
    /// - Throws: ``KeyError`` with code ``KeyError/Code/invalidKey`` for any other number of bytes.
    public init(bytes: some Collection<UInt8>) throws(KeyError) {
        guard bytes.count == EncryptionKey.byteCount else {
            throw KeyError(.invalidKey, "A key must have 32 bytes, but \(bytes.count) were given.")
        }
        wipedMemory = WipedMemory(byteCount: EncryptionKey.byteCount) { $0.copyBytes(from: bytes) }
    }

    /// Creates a key from hexadecimal digits.
    ///
    /// - Parameter text: 64 digits of either case, and nothing else.
    /// - Throws: ``KeyError`` with code ``KeyError/Code/invalidKey`` for any other text.
    public init(hexadecimal text: String) throws(KeyError) {
        try self.init(digits: text.utf8, from: "The given text")
    }

    /// - Parameter subject: The source of the digits, for the error message.
    init(digits: some Collection<UInt8>, from subject: String) throws(KeyError) {
        wipedMemory = try WipedMemory(byteCount: EncryptionKey.byteCount) { (bytes) throws(KeyError) in
            guard Hexadecimal.decode(digits, into: bytes) else {
                throw KeyError(
                    .invalidKey, "\(subject) is not a key: it must be 64 hexadecimal digits and nothing else.")
            }
        }
    }

    private init(memory: WipedMemory) { wipedMemory = memory }

    /// Creates a new key with the system's random number generator.
    public static func random() -> EncryptionKey {
        var generator = SystemRandomNumberGenerator()
        return EncryptionKey(
            memory: WipedMemory(byteCount: byteCount) { bytes in
                for word in 0..<byteCount / 8 {
                    bytes.storeBytes(of: generator.next(), toByteOffset: 8 * word, as: UInt64.self)
                }
            })
    }

    /// Runs `body` with the bytes. Do not use the pointer after `body` has returned.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try wipedMemory.withBytes(body)
    }

    /// The key as 64 hexadecimal digits. A text cannot be wiped. Therefore, use this text only to store the key.
    public var hexadecimal: String {
        withBytes(\.hexadecimal)
    }
}

extension EncryptionKey: Equatable {
    /// Whether two keys are equal. The time of the comparison does not depend on the bytes.
    public static func == (left: EncryptionKey, right: EncryptionKey) -> Bool {
        left.withBytes { left in right.withBytes { godwit_equal(left.baseAddress!, $0.baseAddress!, byteCount) } }
    }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the type. It does not contain the key.
    public var description: String { "EncryptionKey" }

    /// The name of the type. It does not contain the key.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` does not show the key.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
