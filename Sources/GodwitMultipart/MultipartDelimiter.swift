//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Finds the delimiters between parts: a line break, two hyphens and the boundary.
///
/// The search is Horspool's algorithm: the last byte of a window determines the shift of the window, usually the length
/// of the delimiter. The search is linear even for hostile bodies: a window is compared from its first byte, and a
/// delimiter contains only one carriage return, its first byte. So comparisons that fail late never overlap.
struct MultipartDelimiter: Sendable {
    /// The result of a search.
    enum Finding: Equatable {
        /// All bytes before this index belong to the body. The bytes after it are not decided: there may be too few of
        /// them.
        case text(to: Int)
        /// A delimiter starts at `at`; the bytes after it start at `next`.
        case delimiter(at: Int, next: Int, isClosing: Bool)
    }

    /// The delimiter, with the line break before it.
    let bytes: [UInt8]

    /// The shift of a window for each value of its last byte.
    private let shifts: [UInt8]

    /// Creates the delimiter for a boundary.
    ///
    /// - Throws: ``MultipartError`` with code ``MultipartError/Code/invalidBoundary``.
    init(boundary: String) throws(MultipartError) {
        let text = boundary.utf8
        guard (1...MultipartLimits.boundaryBytesMax).contains(text.count), text.last != .space,
            text.allSatisfy({ (0x20..<0x7F).contains($0) })
        else {
            throw MultipartError(
                .invalidBoundary,
                "the boundary of a multipart body is not valid. Send one of 1 to \(MultipartLimits.boundaryBytesMax) "
                    + "printable ASCII characters that does not end with a space, as a parameter of the content type.")
        }
        bytes = [.carriageReturn, .lineFeed, .minus, .minus] + text
        var shifts = [UInt8](repeating: UInt8(bytes.count), count: 256)
        for (index, byte) in bytes.dropLast().enumerated() { shifts[Int(byte)] = UInt8(bytes.count - 1 - index) }
        self.shifts = shifts
    }

    /// Searches for the next delimiter in at most one piece of a body.
    func find(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Finding {
        let end = min(text.count, start + MultipartLimits.bodyPieceBytesMax)
        var position = start
        while let found = firstMatch(in: text, from: position, to: end) {
            switch lineEnd(in: text, behind: found + bytes.count, startingAt: found) {
            case .text(to: found): return .text(to: found)
            case .text: position = found + 1
            case let delimiter: return delimiter
            }
        }
        return .text(to: beginning(in: text, from: position, to: end))
    }

    /// Checks whether a delimiter without its line break is at the start of a line.
    ///
    /// - Returns: ``Finding/text(to:)`` with `start` when more bytes are needed, and with a higher index when it is not
    ///   a delimiter.
    func match(in text: UnsafeBufferPointer<UInt8>, atLineStart start: Int) -> Finding {
        let count = min(text.count - start, bytes.count - 2)
        for offset in 0..<count where text[start + offset] != bytes[offset + 2] { return .text(to: start + 1) }
        guard count == bytes.count - 2 else { return .text(to: start) }
        return lineEnd(in: text, behind: start + count, startingAt: start)
    }

    /// Reads the bytes after the boundary: two hyphens close the body; blanks and a line break start a part.
    private func lineEnd(in text: UnsafeBufferPointer<UInt8>, behind position: Int, startingAt start: Int) -> Finding {
        let rest = text[position...]
        if rest.first == .minus {
            guard rest.count > 1 else { return .text(to: start) }
            guard text[position + 1] == .minus else { return .text(to: start + 1) }
            return .delimiter(at: start, next: position + 2, isClosing: true)
        }
        let end = rest.prefix(MultipartLimits.paddingBytesMax).drop(while: \.isBlank).startIndex
        switch text[end...].prefix(2).first {
        case nil: return .text(to: start)
        case UInt8.lineFeed: return .delimiter(at: start, next: end + 1, isClosing: false)
        case UInt8.carriageReturn:
            guard end + 1 < text.count else { return .text(to: start) }
            guard text[end + 1] == .lineFeed else { return .text(to: start + 1) }
            return .delimiter(at: start, next: end + 2, isClosing: false)
        default: return .text(to: start + 1)
        }
    }

    /// Returns the first index of the complete delimiter.
    private func firstMatch(in text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int? {
        bytes.withUnsafeBufferPointer { delimiter in
            shifts.withUnsafeBufferPointer { shifts in
                let last = delimiter.count - 1
                var position = start
                while position + last < end {
                    var matched = 0
                    while matched <= last, text[position + matched] == delimiter[matched] { matched += 1 }
                    if matched > last { return position }
                    position += Int(shifts[Int(text[position + last])])
                }
                return nil
            }
        }
    }

    /// Returns the index of the start of a delimiter that is incomplete at `end`; `end` when the bytes do not end with
    /// one.
    private func beginning(in text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int {
        let tail = text[max(start, end - bytes.count + 1)..<end]
        guard let position = tail.lastIndex(of: .carriageReturn), bytes.starts(with: text[position..<end]) else {
            return end
        }
        return position
    }
}
