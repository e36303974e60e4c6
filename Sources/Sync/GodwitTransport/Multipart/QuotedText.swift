//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension ArraySlice<UInt8> {
    /// Returns the pieces between separators, without leading and trailing blanks. A separator within quotes is part of
    /// its piece.
    func splitOutsideQuotes(at separator: UInt8) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var pieceStart = startIndex
        var (isQuoted, isEscaped) = (false, false)
        for index in indices {
            switch self[index] {
            case _ where isEscaped: isEscaped = false
            case .backslash where isQuoted: isEscaped = true
            case .quote: isQuoted.toggle()
            case separator where !isQuoted:
                pieces.append(self[pieceStart..<index].trimmed)
                pieceStart = index + 1
            default: break
            }
        }
        return pieces + [self[pieceStart...].trimmed]
    }

    /// The text of a token or a quoted string; `nil` when a quoted string does not end with an unescaped quote.
    ///
    /// A backslash escapes the next character only if the next character is a quote or a backslash. Any other backslash
    /// is literal, because CouchDB escapes nothing in quoted names.
    var unquoted: String? {
        guard first == .quote else { return text }
        guard count > 1, last == .quote else { return nil }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in dropFirst().dropLast() {
            if isEscaped, byte != .quote, byte != .backslash { bytes.append(.backslash) }
            isEscaped = byte == .backslash && !isEscaped
            if !isEscaped { bytes.append(byte) }
        }
        return isEscaped ? nil : bytes[...].text
    }
}

extension String {
    /// The text in quotes, with its quotes and backslashes escaped.
    var quoted: String {
        var bytes: [UInt8] = [.quote]
        for byte in utf8 {
            if byte == .quote || byte == .backslash { bytes.append(.backslash) }
            bytes.append(byte)
        }
        return (bytes + [.quote])[...].text
    }
}
