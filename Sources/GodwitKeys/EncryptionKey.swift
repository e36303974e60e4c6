//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CKeys
import GodwitBytes

/// The key of an encrypted database: 32 bytes.
///
/// Copies share one piece of memory, which is overwritten with zeros when the last of them goes. Two keys are compared in
/// a time that does not tell where they differ, and neither `print` nor `dump` shows one. What is outside of it, an array
/// or a text that a key was made of or given out as, is yours to keep short.
///
/// ```swift
/// let key = EncryptionKey.random()
/// try key.write(toNewFile: "trips.key")
/// let same = try EncryptionKey(file: "trips.key")
/// print(key == same, key)      // true EncryptionKey
/// ```
public struct EncryptionKey: Sendable {
    /// The bytes of every key.
    public static let byteCount = 32

    private let memory: WipedMemory

    /// A key of bytes that are there.
    ///
    /// - Throws: ``KeyError`` with code ``KeyError/Code/invalidKey`` unless there are 32.
    public init(bytes: some Collection<UInt8>) throws(KeyError) {
        guard bytes.count == EncryptionKey.byteCount else {
            throw KeyError(.invalidKey, "A key has 32 bytes; \(bytes.count) were given.")
        }
        memory = WipedMemory(byteCount: EncryptionKey.byteCount) { $0.copyBytes(from: bytes) }
    }

    /// A key of hexadecimal digits.
    ///
    /// - Parameter text: 64 digits of either case, and nothing else.
    /// - Throws: ``KeyError`` with code ``KeyError/Code/invalidKey`` for any other text.
    public init(hexadecimal text: String) throws(KeyError) {
        try self.init(digits: text.utf8, from: "The text given")
    }

    /// - Parameter subject: Where the digits are from, for the error.
    init(digits: some Collection<UInt8>, from subject: String) throws(KeyError) {
        memory = try WipedMemory(byteCount: EncryptionKey.byteCount) { (bytes) throws(KeyError) in
            guard Hexadecimal.decode(digits, into: bytes) else {
                throw KeyError(.invalidKey, "\(subject) is no key: 64 hexadecimal digits are needed, and nothing else.")
            }
        }
    }

    private init(memory: WipedMemory) { self.memory = memory }

    /// A new key, from the system's source of random numbers.
    public static func random() -> EncryptionKey {
        var generator = SystemRandomNumberGenerator()
        return EncryptionKey(
            memory: WipedMemory(byteCount: byteCount) { bytes in
                for word in 0..<byteCount / 8 {
                    bytes.storeBytes(of: generator.next(), toByteOffset: 8 * word, as: UInt64.self)
                }
            })
    }

    /// Runs `body` with the bytes. They are gone when it returns: keep no pointer to them.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try memory.withBytes(body)
    }

    /// The key as 64 hexadecimal digits. A text cannot be wiped: ask for it only to write it somewhere.
    public var hexadecimal: String {
        withBytes(\.hexadecimal)
    }
}

extension EncryptionKey: Equatable {
    /// Whether two keys are the same, in a time that does not tell where they differ.
    public static func == (left: EncryptionKey, right: EncryptionKey) -> Bool {
        left.withBytes { left in right.withBytes { godwit_equal(left.baseAddress!, $0.baseAddress!, byteCount) } }
    }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the type: a key is not shown.
    public var description: String { "EncryptionKey" }

    /// The name of the type: a key is not shown.
    public var debugDescription: String { description }

    /// Nothing: a key is not shown.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
