//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Parses a tag of XML, from `<` to `>`.
struct MarkupTag {
    private(set) var name = ""
    private(set) var attributes: [String: String] = [:]
    /// Whether it is an end tag.
    private(set) var isEnd = false
    /// Whether it opens and closes its element.
    private(set) var isEmpty = false

    private let bytes: [UInt8]
    private var position = 1

    init(_ bytes: [UInt8]) throws(MarkupError) {
        self.bytes = bytes
        isEnd = take("/")
        name = try readName()
        while true {
            let hadBlanks = passBlanks()
            if take(">") { return }
            guard !isEnd else { throw MarkupError() }
            if take("/>") {
                isEmpty = true
                return
            }
            guard hadBlanks else { throw MarkupError() }
            try readAttribute()
        }
    }

    private mutating func readAttribute() throws(MarkupError) {
        let key = try readName()
        passBlanks()
        guard take("=") else { throw MarkupError() }
        passBlanks()
        guard position < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[position]),
            let end = bytes[(position + 1)...].firstIndex(of: bytes[position])
        else { throw MarkupError() }
        let value = bytes[(position + 1)..<end]
        guard !value.contains(UInt8(ascii: "<")) else { throw MarkupError() }
        position = end + 1
        guard attributes.updateValue(try Markup.resolved(value), forKey: key) == nil else { throw MarkupError() }
    }

    private mutating func readName() throws(MarkupError) -> String {
        let start = position
        while position < bytes.count, !bytes[position].isBlank, !MarkupTag.delimiters.contains(bytes[position]) {
            position += 1
        }
        guard position > start, !MarkupTag.cannotBegin.contains(bytes[start]) else { throw MarkupError() }
        return try Markup.string(bytes[start..<position])
    }

    private static let delimiters = Array("<>/='\"&".utf8)
    private static let cannotBegin = Array("0123456789-.".utf8)

    /// Advances past a text if the next bytes are equal to it, and returns whether they are.
    private mutating func take(_ text: StaticString) -> Bool {
        let isHere = text.withUTF8Buffer { bytes[position...].starts(with: $0) }
        if isHere { position += text.utf8CodeUnitCount }
        return isHere
    }

    /// - Returns: Whether it skipped a blank.
    @discardableResult
    private mutating func passBlanks() -> Bool {
        let start = position
        while position < bytes.count, bytes[position].isBlank { position += 1 }
        return position > start
    }
}

/// Decoding of texts in XML.
enum Markup {
    /// Returns a text with its references replaced by their characters.
    static func resolved(_ text: ArraySlice<UInt8>) throws(MarkupError) -> String {
        var result = ""
        var rest = text
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            guard let end = rest[start...].firstIndex(of: UInt8(ascii: ";")) else { throw MarkupError() }
            result += try string(rest[..<start])
            result.unicodeScalars.append(try character(try string(rest[(start + 1)..<end])))
            rest = rest[(end + 1)...]
        }
        return result + (try string(rest))
    }

    private static func character(_ reference: String) throws(MarkupError) -> Unicode.Scalar {
        if let named = references[reference] { return named }
        let number: UInt32? =
            if reference.hasPrefix("#x") {
                UInt32(reference.dropFirst(2), radix: 16)
            } else if reference.hasPrefix("#") {
                UInt32(reference.dropFirst())
            } else { nil }
        guard let number, number > 0, let scalar = Unicode.Scalar(number) else { throw MarkupError() }
        return scalar
    }

    private static let references: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
    ]

    static func string(_ bytes: ArraySlice<UInt8>) throws(MarkupError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw MarkupError() }
        return text
    }
}
