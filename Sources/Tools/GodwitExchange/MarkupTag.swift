//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Parses a tag of XML, from `<` to `>`.
struct MarkupTag {
    private(set) var name = ""
    private(set) var attributes: [ExactText: String] = [:]
    /// Whether the tag is an end tag.
    private(set) var isEnd = false
    /// Whether the tag both opens and closes its element.
    private(set) var isEmpty = false

    private let bytes: [UInt8]
    private var offset = 1

    init(_ bytes: [UInt8]) throws(MarkupError) {
        self.bytes = bytes
        isEnd = skipIfNext("/")
        name = try readName()
        while true {
            let hadBlanks = skipBlanks()
            if skipIfNext(">") { return }
            guard !isEnd else { throw MarkupError() }
            if skipIfNext("/>") {
                isEmpty = true
                return
            }
            guard hadBlanks else { throw MarkupError() }
            try readAttribute()
        }
    }

    private mutating func readAttribute() throws(MarkupError) {
        let attributeName = try readName()
        skipBlanks()
        guard skipIfNext("=") else { throw MarkupError() }
        skipBlanks()
        guard offset < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[offset]),
            let end = bytes[(offset + 1)...].firstIndex(of: bytes[offset])
        else { throw MarkupError() }
        let value = bytes[(offset + 1)..<end]
        guard !value.contains(UInt8(ascii: "<")) else { throw MarkupError() }
        offset = end + 1
        guard attributes.updateValue(try Markup.resolved(value), forKey: ExactText(attributeName)) == nil else {
            throw MarkupError()
        }
    }

    private mutating func readName() throws(MarkupError) -> String {
        let start = offset
        while offset < bytes.count, !bytes[offset].isBlank, !MarkupTag.delimiters.contains(bytes[offset]) {
            offset += 1
        }
        guard offset > start, !MarkupTag.cannotBegin.contains(bytes[start]) else { throw MarkupError() }
        return try Markup.string(bytes[start..<offset])
    }

    private static let delimiters = Array("<>/='\"&".utf8)
    private static let cannotBegin = Array("0123456789-.".utf8)

    /// If the next bytes are equal to a text, skips them and returns `true`. Otherwise, returns `false`.
    private mutating func skipIfNext(_ text: StaticString) -> Bool {
        let isNext = text.withUTF8Buffer { bytes[offset...].starts(with: $0) }
        if isNext { offset += text.utf8CodeUnitCount }
        return isNext
    }

    /// Skips blanks.
    ///
    /// - Returns: Whether a blank was skipped.
    @discardableResult
    private mutating func skipBlanks() -> Bool {
        let start = offset
        while offset < bytes.count, bytes[offset].isBlank { offset += 1 }
        return offset > start
    }
}

/// Decoding of texts in XML.
enum Markup {
    /// Returns a text with its references replaced by their characters.
    static func resolved(_ text: ArraySlice<UInt8>) throws(MarkupError) -> String {
        var result = ""
        var remaining = text
        while let start = remaining.firstIndex(of: UInt8(ascii: "&")) {
            guard let end = remaining[start...].firstIndex(of: UInt8(ascii: ";")) else { throw MarkupError() }
            result += try string(remaining[..<start])
            result.unicodeScalars.append(try character(try string(remaining[(start + 1)..<end])))
            remaining = remaining[(end + 1)...]
        }
        return result + (try string(remaining))
    }

    private static func character(_ reference: String) throws(MarkupError) -> Unicode.Scalar {
        if let named = references[reference] { return named }
        let code: UInt32? =
            if reference.begins(with: "#x") {
                // Bounded: a text is parsed.
                UInt32(Substring(reference.utf8.dropFirst(2)), radix: 16)
            } else if reference.begins(with: "#") {
                // Bounded: as above.
                UInt32(Substring(reference.utf8.dropFirst()))
            } else { nil }
        guard let code, code > 0, let scalar = Unicode.Scalar(code) else { throw MarkupError() }
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
