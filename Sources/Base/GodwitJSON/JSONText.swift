//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The bytes of a scan. They are read without bounds checks, so the caller must compare each offset with ``count``
/// first.
struct JSONText {
    let base: UnsafeRawPointer
    let count: Int

    @inline(__always)
    subscript(_ offset: Int) -> UInt8 {
        base.load(fromByteOffset: offset, as: UInt8.self)
    }

    /// Returns eight bytes from `offset`, the first in the lowest bits.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Returns the first offset from `start` that has no white space, or ``count``.
    @inline(__always)
    func skippingSpace(from start: Int) -> Int {
        var offset = start
        while offset < count, self[offset] <= .space, self[offset].isSpace {
            offset &+= 1
        }
        return offset
    }

    /// Returns the first offset from `start` that has no digit, or ``count``.
    @inline(__always)
    func skippingDigits(from start: Int) -> Int {
        var offset = start
        while offset < count, self[offset].isDigit {
            offset &+= 1
        }
        return offset
    }

    /// Returns the error for an unexpected byte at `offset`, or for the end of the text.
    @inline(never)
    func unexpected(at offset: Int, expected: StaticString) -> JSONError {
        JSONError(offset < count ? .syntax : .unexpectedEnd, at: offset, "expected \(expected)")
    }
}
