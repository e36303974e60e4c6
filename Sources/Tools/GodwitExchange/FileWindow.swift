//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A buffer for the part of a file that was read but not yet consumed. Offsets are relative to the first byte that is
/// not consumed.
///
/// The length of the buffer depends on the longest record and not on the length of the file: the buffer contains at
/// most this record and one more piece of the file. When more bytes are needed although the buffer already contains
/// more than `recordBytesMax` bytes, the record is too long, and an error is thrown.
package struct FileWindow {
    /// A function that returns the next bytes of the file; an empty array at its end.
    package typealias Source = () throws(ExchangeError) -> [UInt8]

    private let source: Source
    private var bytes: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// The line of the first byte that is not consumed, from 1.
    private(set) var line = 1
    /// The number of consumed bytes.
    private(set) var usedCount = 0

    /// Creates a window at the beginning of a file, and skips a byte order mark of UTF-8.
    ///
    /// - Throws: The error of the source, because the first bytes are read.
    package init(_ source: @escaping Source) throws(ExchangeError) {
        self.source = source
        // A byte order mark is skipped, because it is not part of the text.
        if try has(3), self[0] == 0xEF, self[1] == 0xBB, self[2] == 0xBF { use(3) }
    }

    /// The number of buffered bytes.
    var count: Int { bytes.count - start }

    subscript(offset: Int) -> UInt8 { bytes[start + offset] }

    /// Whether at least this number of unconsumed bytes follows. Reads more bytes if necessary.
    mutating func has(_ neededCount: Int) throws(ExchangeError) -> Bool {
        while count < neededCount { guard try more() else { return false } }
        return true
    }

    /// Reads more bytes.
    ///
    /// - Returns: Whether the file had more bytes.
    /// - Throws: ``ExchangeError`` when the buffered record is too long, or the error of the source.
    mutating func more() throws(ExchangeError) -> Bool {
        guard !isAtEnd else { return false }
        guard count <= ExchangeLimits.recordBytesMax else {
            throw ExchangeError(
                line: line,
                "the record that begins here is longer than \(ExchangeLimits.recordBytesMax >> 20) MB. Split it.")
        }
        let piece = try source()
        guard !piece.isEmpty else {
            isAtEnd = true
            return false
        }
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += piece
        return true
    }

    /// Returns the first bytes without consuming them. They must be in the buffer: see ``has(_:)``.
    func first(_ count: Int) -> ArraySlice<UInt8> { bytes[start..<(start + count)] }

    /// Consumes the first bytes.
    mutating func use(_ count: Int) {
        line += first(count).count { $0 == UInt8(ascii: "\n") }
        start += count
        usedCount += count
    }

    /// Consumes the first bytes and returns them.
    mutating func take(_ count: Int) -> [UInt8] {
        defer { use(count) }
        return Array(first(count))
    }

    /// If the next bytes are equal to a text, consumes them and returns `true`. Otherwise, returns `false`.
    mutating func take(_ text: StaticString) throws(ExchangeError) -> Bool {
        let count = text.utf8CodeUnitCount
        guard try has(count), text.withUTF8Buffer({ first(count).elementsEqual($0) }) else { return false }
        use(count)
        return true
    }

    /// Returns the offset of the next occurrence of a text from the offset `first` on; `nil` when the rest of the file
    /// does not contain the text.
    mutating func offset(of text: StaticString, from first: Int = 0) throws(ExchangeError) -> Int? {
        var searchStart = first
        while true {
            let found = withBytes { bytes in text.withUTF8Buffer { FileWindow.find($0, in: bytes, from: searchStart) } }
            if let found { return found }
            searchStart = max(searchStart, count - text.utf8CodeUnitCount + 1)
            guard try more() else { return nil }
        }
    }

    private static func find(
        _ text: UnsafeBufferPointer<UInt8>, in bytes: UnsafeRawBufferPointer, from first: Int
    ) -> Int? {
        var offset = first
        while offset + text.count <= bytes.count {
            // Bounded: the buffer is not empty, and a byte is widened.
            guard let firstByte = memchr(bytes.baseAddress! + offset, Int32(text[0]), bytes.count - offset) else {
                return nil
            }
            // Bounded: as above.
            offset = UnsafeRawPointer(firstByte) - bytes.baseAddress!
            guard offset + text.count <= bytes.count else { return nil }
            // Bounded: as above.
            if memcmp(bytes.baseAddress! + offset, text.baseAddress!, text.count) == 0 { return offset }
            offset += 1
        }
        return nil
    }

    /// Consumes the blanks at the current position.
    mutating func passBlanks() throws(ExchangeError) {
        while true {
            var offset = 0
            while offset < count, self[offset].isBlank { offset += 1 }
            let isFull = offset == count
            use(offset)
            guard isFull, try more() else { return }
        }
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }
}

extension UInt8 {
    /// Whether this is a space, a tab or a character of a line break.
    var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
