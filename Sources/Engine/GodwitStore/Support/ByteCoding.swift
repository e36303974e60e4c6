//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Encodes compact integers and byte sequences for the blobs of a row.
package struct ByteWriter {
    /// The encoded bytes.
    @usableFromInline package private(set) var bytes: [UInt8] = []

    /// Creates an empty writer with memory for a number of bytes. The memory grows if more bytes are appended.
    package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// Appends an integer that is not negative, with seven bits in each byte, the lowest bits first. The high bit is
    /// set if more bytes follow.
    package mutating func append(_ value: Int) { append(bits: UInt64(clamping: value)) }

    /// Appends 64 bits in the form of ``append(_:)``.
    package mutating func append(bits: UInt64) {
        var rest = bits
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a byte unchanged.
    package mutating func append(raw byte: UInt8) { bytes.append(byte) }

    /// Appends bytes unchanged. Their number is not encoded.
    @inlinable
    package mutating func append(raw run: some Sequence<UInt8>) { bytes.append(contentsOf: run) }

    /// Appends the length of a byte sequence and then its bytes.
    @inlinable
    package mutating func append(run: some Collection<UInt8>) {
        append(run.count)
        bytes.append(contentsOf: run)
    }
}

/// Decodes the output of ``ByteWriter``.
///
/// For invalid bytes, each method throws ``StoreError/Code/corrupt`` and never traps.
package struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private var byteOffset = 0

    /// Creates a reader at the beginning of bytes. The caller keeps the bytes valid while it uses the reader.
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Whether all bytes were read.
    package var isAtEnd: Bool { byteOffset == bytes.count }

    /// Reads one byte.
    package mutating func byte() throws(StoreError) -> UInt8 {
        guard byteOffset < bytes.count else { throw .damagedRow }
        defer { byteOffset += 1 }
        return bytes[byteOffset]
    }

    /// Reads an integer that ``ByteWriter/append(_:)`` wrote. The integer is not negative.
    package mutating func number() throws(StoreError) -> Int {
        let value = try bits()
        guard value <= UInt64(clamping: Int.max) else { throw .damagedRow }
        return Int(value)
    }

    /// Reads 64 bits that ``ByteWriter/append(bits:)`` wrote.
    package mutating func bits() throws(StoreError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let nextByte = try byte()
            value |= UInt64(nextByte & 0x7f) << shift
            if nextByte < 0x80 { return value }
        }
        throw .damagedRow
    }

    /// Reads a number of bytes. The result points into the reader's bytes.
    package mutating func raw(_ count: Int) throws(StoreError) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= bytes.count - byteOffset else { throw .damagedRow }
        defer { byteOffset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[byteOffset..<byteOffset + count])
    }

    /// Reads the length of a byte sequence and then its bytes. The result points into the reader's bytes.
    package mutating func run() throws(StoreError) -> UnsafeRawBufferPointer { try raw(number()) }

    /// Reads a byte sequence as a text. Invalid UTF-8 is replaced, not rejected.
    package mutating func text() throws(StoreError) -> String { String(decoding: try run(), as: UTF8.self) }
}

extension StoreError {
    /// The error for a row of a file whose values contradict each other.
    package static var damagedRow: StoreError {
        StoreError(
            .corrupt, "a row of the database is damaged: a value in it ends too early. Restore it from a backup.")
    }
}
