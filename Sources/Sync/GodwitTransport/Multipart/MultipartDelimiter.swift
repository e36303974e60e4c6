//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Finds the delimiters between parts. A delimiter is a line break, two hyphens and the boundary.
///
/// The search uses Horspool's algorithm. The algorithm compares the delimiter with a window, which is a range of the
/// text with the length of the delimiter. If they differ, the window is shifted toward the end of the text. The last
/// byte of the window determines the number of bytes of the shift, which is usually the length of the delimiter.
///
/// The search takes linear time even for hostile bodies. The reason is that a delimiter contains only one carriage
/// return, which is its first byte. If the first bytes of a window match the delimiter, no other carriage return is
/// among these bytes. Therefore, for each window that begins at one of them, the comparison ends at its first byte.
struct MultipartDelimiter: Sendable {
    /// The result of a search.
    enum Finding: Equatable {
        /// All bytes before this index belong to the body. More bytes may be needed to decide whether the bytes from
        /// the index on belong to the body.
        case text(to: Int)
        /// A delimiter starts at `at`. The bytes after the line of the delimiter start at `next`. If the delimiter is
        /// the closing one, `next` is the index after its two hyphens.
        case delimiter(at: Int, next: Int, isClosing: Bool)
    }

    /// The bytes of the delimiter, with the line break before it.
    let bytes: [UInt8]

    /// The number of bytes by which a window is shifted, for each value of its last byte.
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
        var shifts = [UInt8](repeating: UInt8(clamping: bytes.count), count: 256)
        for (index, byte) in bytes.dropLast().enumerated() {
            shifts[Int(byte)] = UInt8(clamping: bytes.count - 1 - index)
        }
        self.shifts = shifts
    }

    /// Searches for the next delimiter, in at most ``MultipartLimits/bodyPieceBytesMax`` bytes.
    func find(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Finding {
        let end = min(text.count, start + MultipartLimits.bodyPieceBytesMax)
        var searchStart = start
        while let matchStart = firstMatch(in: text, from: searchStart, to: end) {
            switch readLineEnd(in: text, from: matchStart + bytes.count, ofDelimiterAt: matchStart) {
            case .text(to: matchStart): return .text(to: matchStart)
            case .text: searchStart = matchStart + 1
            case let delimiter: return delimiter
            }
        }
        return .text(to: startOfIncompleteDelimiter(in: text, from: searchStart, to: end))
    }

    /// Checks whether there is a delimiter at `start`, where a line begins. Here, the delimiter begins with its
    /// hyphens, without the line break.
    ///
    /// - Returns: The delimiter if there is one. ``Finding/text(to:)`` with `start` when more bytes are needed, and
    ///   with a higher index when there is no delimiter at `start`.
    func match(in text: UnsafeBufferPointer<UInt8>, atLineStart start: Int) -> Finding {
        let comparedCount = min(text.count - start, bytes.count - 2)
        for offset in 0..<comparedCount where text[start + offset] != bytes[offset + 2] {
            return .text(to: start + 1)
        }
        guard comparedCount == bytes.count - 2 else { return .text(to: start) }
        return readLineEnd(in: text, from: start + comparedCount, ofDelimiterAt: start)
    }

    /// Reads the bytes after the boundary. Two hyphens close the body. A line break, with or without blanks before it,
    /// starts a part.
    ///
    /// - Returns: A delimiter at `start`. ``Finding/text(to:)`` with `start` when more bytes are needed, and with
    ///   `start + 1` when there is no delimiter at `start`.
    private func readLineEnd(
        in text: UnsafeBufferPointer<UInt8>, from boundaryEnd: Int, ofDelimiterAt start: Int
    ) -> Finding {
        let rest = text[boundaryEnd...]
        if rest.first == .minus {
            guard rest.count > 1 else { return .text(to: start) }
            guard text[boundaryEnd + 1] == .minus else { return .text(to: start + 1) }
            return .delimiter(at: start, next: boundaryEnd + 2, isClosing: true)
        }
        let blanksEnd = rest.prefix(MultipartLimits.paddingBytesMax).drop(while: \.isBlank).startIndex
        switch text[blanksEnd...].prefix(2).first {
        case nil: return .text(to: start)
        case UInt8.lineFeed: return .delimiter(at: start, next: blanksEnd + 1, isClosing: false)
        case UInt8.carriageReturn:
            guard blanksEnd + 1 < text.count else { return .text(to: start) }
            guard text[blanksEnd + 1] == .lineFeed else { return .text(to: start + 1) }
            return .delimiter(at: start, next: blanksEnd + 2, isClosing: false)
        default: return .text(to: start + 1)
        }
    }

    /// Returns the index of the first complete delimiter between `start` and `end`; `nil` when there is none. The bytes
    /// after the boundary are not checked.
    private func firstMatch(in text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int? {
        bytes.withUnsafeBufferPointer { delimiter in
            shifts.withUnsafeBufferPointer { shifts in
                let lastOffset = delimiter.count - 1
                var windowStart = start
                while windowStart + lastOffset < end {
                    var matchedCount = 0
                    while matchedCount <= lastOffset, text[windowStart + matchedCount] == delimiter[matchedCount] {
                        matchedCount += 1
                    }
                    if matchedCount > lastOffset { return windowStart }
                    windowStart += Int(shifts[Int(text[windowStart + lastOffset])])
                }
                return nil
            }
        }
    }

    /// Returns the index of the start of a delimiter that is incomplete at `end`; `end` when the bytes do not end with
    /// the start of a delimiter.
    private func startOfIncompleteDelimiter(in text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int {
        let tail = text[max(start, end - bytes.count + 1)..<end]
        guard let lineBreak = tail.lastIndex(of: .carriageReturn), bytes.starts(with: text[lineBreak..<end]) else {
            return end
        }
        return lineBreak
    }
}
