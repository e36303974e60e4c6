//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// A sort order of hits: by a field's value, or by the score.
///
/// | syntax | order |
/// |---|---|
/// | `price`, `price<number>` | the lowest number first |
/// | `-price<number>` | the highest number first |
/// | `title<string>` | by the bytes of the string; only the first ``TextLimits/searchSortBytesMax`` bytes count |
/// | `-<score>`, `<score>` | the best first, the worst first |
///
/// A document without the field, or without a value of the type in the field, is last in both directions. If an array
/// has several values, the first value of the type is used.
package struct SearchOrder: Sendable, Equatable {
    enum Subject: Sendable, Equatable {
        case score
        case number(path: String)
        case text(path: String)
    }

    /// The order in its original notation.
    let written: String
    let subject: Subject
    let isDescending: Bool

    /// Parses an element of `sort`.
    ///
    /// - Throws: ``TextError`` when the text is not a sort order.
    package init(parsing written: String) throws(TextError) {
        self.written = written
        isDescending = written.begins(with: "-")
        let name = Substring(written.utf8.dropFirst(isDescending || written.begins(with: "+") ? 1 : 0))
        if name == "<score>" {
            subject = .score
        } else if let name = Self.name(name, type: "<string>") {
            subject = .text(path: TextPath.normalized(name))
        } else if let name = Self.name(name, type: "<number>") ?? Self.name(name, type: "") {
            subject = .number(path: TextPath.normalized(name))
        } else {
            throw .invalidSort(written)
        }
    }

    /// The order by relevance, the best match first.
    static let relevance = SearchOrder(written: "-<score>", subject: .score, isDescending: true)

    private init(written: String, subject: Subject, isDescending: Bool) {
        (self.written, self.subject, self.isDescending) = (written, subject, isDescending)
    }

    /// Returns the name before a type; `nil` when the text has another type or no name.
    private static func name(_ written: Substring, type: String) -> String? {
        guard written.ends(with: type), case let name = Substring(written.utf8.dropLast(type.utf8.count)),
            !name.isEmpty, !name.ends(with: ">")
        else { return nil }
        return String(name)
    }

    /// The path of the field; `nil` for the score.
    var path: String? {
        switch subject {
        case .score: nil
        case .number(let path), .text(let path): path
        }
    }

    /// Returns the value of a hit in two forms: as in the `order` of a response, and as a key. The bytes of keys sort
    /// as this order requires.
    func value(score: Double, of values: [Int], in document: JSONTape) -> (json: JSONValue, key: [UInt8]) {
        switch subject {
        case .score: return (.double(score), keyOfValue(Self.key(score)))
        case .number:
            guard let number = values.lazy.compactMap({ document.double($0) }).first else { break }
            return (.double(number), keyOfValue(Self.key(number)))
        case .text:
            guard let value = values.first(where: { document.kind($0) == .string }) else { break }
            let text = document.string(value)
            return (.string(text), keyOfValue(Self.key(text)))
        }
        return (.null, [1])
    }

    /// Returns the key of an existing value. The key starts with 0. The key of a missing value is 1, which sorts last.
    private func keyOfValue(_ key: [UInt8]) -> [UInt8] { [0] + (isDescending ? key.map(~) : key) }

    private static func key(_ number: Double) -> [UInt8] {
        // Negative zero becomes zero.
        let bits = (number + 0).bitPattern
        let ordered = bits >> 63 == 1 ? ~bits : bits | 1 << 63
        return withUnsafeBytes(of: ordered.bigEndian) { Array($0) }
    }

    /// Returns the first bytes of the text, followed by a terminator that sorts before every byte of a text. NUL is
    /// encoded as NUL and 255.
    private static func key(_ text: String) -> [UInt8] {
        var key: [UInt8] = []
        for byte in text.utf8.prefix(TextLimits.searchSortBytesMax) {
            key.append(byte)
            if byte == 0 { key.append(0xFF) }
        }
        return key + [0, 0]
    }
}
