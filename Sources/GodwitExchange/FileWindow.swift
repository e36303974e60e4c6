//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The part of a file that was read and not used yet. Offsets count from the first byte that was not used.
///
/// It grows to the longest record, whatever the file's length, and refuses records above `recordBytesMax`.
package struct FileWindow {
    /// Gives the next bytes of the file; none at its end.
    package typealias Source = () throws(ExchangeError) -> [UInt8]

    private let source: Source
    private var bytes: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// The line of the first byte that was not used, from 1.
    private(set) var line = 1
    /// Bytes that were used.
    private(set) var usedCount = 0

    package init(_ source: @escaping Source) throws(ExchangeError) {
        self.source = source
        // A byte order mark is none of the text.
        if try has(3), self[0] == 0xEF, self[1] == 0xBB, self[2] == 0xBF { use(3) }
    }

    /// Bytes that are there.
    var count: Int { bytes.count - start }

    subscript(offset: Int) -> UInt8 { bytes[start + offset] }

    /// Whether there are so many bytes; reads them.
    mutating func has(_ wanted: Int) throws(ExchangeError) -> Bool {
        while count < wanted { guard try more() else { return false } }
        return true
    }

    /// Reads more.
    ///
    /// - Returns: Whether there was more.
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

    /// The first bytes.
    func first(_ count: Int) -> ArraySlice<UInt8> { bytes[start..<(start + count)] }

    /// Lets the first bytes go.
    mutating func use(_ count: Int) {
        line += first(count).count { $0 == UInt8(ascii: "\n") }
        start += count
        usedCount += count
    }

    /// Takes the first bytes.
    mutating func take(_ count: Int) -> [UInt8] {
        defer { use(count) }
        return Array(first(count))
    }

    /// Goes on when this stands here.
    mutating func take(_ text: StaticString) throws(ExchangeError) -> Bool {
        let count = text.utf8CodeUnitCount
        guard try has(count), text.withUTF8Buffer({ first(count).elementsEqual($0) }) else { return false }
        use(count)
        return true
    }

    /// Where a text stands next; `nil` when it does not before the end.
    mutating func offset(of text: StaticString, from first: Int = 0) throws(ExchangeError) -> Int? {
        var position = first
        while true {
            let found = withBytes { bytes in text.withUTF8Buffer { FileWindow.find($0, in: bytes, from: position) } }
            if let found { return found }
            position = max(position, count - text.utf8CodeUnitCount + 1)
            guard try more() else { return nil }
        }
    }

    private static func find(
        _ text: UnsafeBufferPointer<UInt8>, in bytes: UnsafeRawBufferPointer, from first: Int
    ) -> Int? {
        var position = first
        while position + text.count <= bytes.count {
            guard let found = memchr(bytes.baseAddress! + position, Int32(text[0]), bytes.count - position) else {
                return nil
            }
            position = UnsafeRawPointer(found) - bytes.baseAddress!
            guard position + text.count <= bytes.count else { return nil }
            if memcmp(bytes.baseAddress! + position, text.baseAddress!, text.count) == 0 { return position }
            position += 1
        }
        return nil
    }

    /// Lets the blanks go that stand here.
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
    /// Whether this is a space, a tab or an end of line.
    var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
