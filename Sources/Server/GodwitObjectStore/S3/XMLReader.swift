//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

// S3's bodies are small trees of elements and text. A general XML parser also resolves other entities and external
// documents. Attackers can use these features: entities can make a document grow without limit, and external documents
// can be files of the server. Therefore this reader supports only the five predefined entities and no document types.
// It stores the open elements in an array instead of using recursion, so that a deeply nested document cannot exhaust
// the stack.

/// Reads the XML documents of S3's protocol.
///
/// ```swift
/// let list = try XMLReader.read(body)
/// let keys = list.all("Contents").compactMap { $0["Key"]?.text }
/// ```
///
/// The syntax of attributes and namespaces is checked, but the result contains neither. Document types are refused.
package struct XMLReader {
    /// The largest depth of nested elements.
    package static let depthMax = 16
    /// The largest number of elements.
    package static let elementsMax = 50_000

    /// An element whose end is not read yet.
    private struct OpenElement {
        /// The name with its prefix.
        let name: ArraySlice<UInt8>
        var text: [UInt8] = []
        var children: [XMLElement] = []
    }

    private let bytes: [UInt8]
    private var offset = 0
    private var openElements: [OpenElement] = []
    private var elementCount = 0
    private var root: XMLElement?

    /// Reads a document in UTF-8.
    ///
    /// - Returns: The root element.
    /// - Throws: ``XMLError`` if the document is not well-formed, has a document type, or exceeds a limit.
    package static func read(_ bytes: [UInt8]) throws(XMLError) -> XMLElement {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw XMLError("The XML is not in UTF-8.") }
        var reader = XMLReader(bytes: bytes)
        return try reader.readDocument()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func readDocument() throws(XMLError) -> XMLElement {
        // Skips the byte order mark, if there is one.
        _ = skip([0xef, 0xbb, 0xbf])
        while offset < bytes.count {
            if bytes[offset] == UInt8(ascii: "<") { try readMarkup() } else { try readText() }
        }
        guard openElements.isEmpty else { throw XMLError("The XML ends before the end of an element.") }
        guard let root else { throw XMLError("The XML has no element.") }
        return root
    }

    // MARK: Markup

    private mutating func readMarkup() throws(XMLError) {
        if skip("<!--") {
            try skipThrough("-->")
        } else if skip("<![CDATA[") {
            try readCharacterData()
        } else if skip("<!") {
            throw XMLError("The XML has a document type, which is not permitted.")
        } else if skip("<?") {
            try skipThrough("?>")
        } else if skip("</") {
            try readEndTag()
        } else {
            offset += 1
            try readStartTag()
        }
    }

    private mutating func readStartTag() throws(XMLError) {
        let name = try readName()
        guard root == nil else { throw XMLError("The XML has more than one root element.") }
        guard openElements.count < XMLReader.depthMax else {
            throw XMLError("The XML has more than \(XMLReader.depthMax) nested elements.")
        }
        elementCount += 1
        guard elementCount <= XMLReader.elementsMax else {
            throw XMLError("The XML has more than \(XMLReader.elementsMax) elements.")
        }
        openElements.append(OpenElement(name: name))
        while true {
            let hasSpace = skipSpace()
            if skip("/>") { return closeElement() }
            if skip(">") { return }
            guard hasSpace else { throw XMLError("A tag of the XML is not well-formed.") }
            try skipAttribute()
        }
    }

    private mutating func readEndTag() throws(XMLError) {
        let name = try readName()
        skipSpace()
        guard skip(">"), openElements.last?.name == name else {
            throw XMLError("An end tag of the XML does not belong to the open element.")
        }
        closeElement()
    }

    private mutating func closeElement() {
        let element = openElements.removeLast()
        let name = String(decoding: element.name.split(separator: UInt8(ascii: ":")).last ?? [], as: UTF8.self)
        let text = String(decoding: element.text, as: UTF8.self)
        let closedElement = XMLElement(name, text: text, children: element.children)
        if openElements.isEmpty {
            root = closedElement
        } else {
            openElements[openElements.count - 1].children.append(closedElement)
        }
    }

    private mutating func skipAttribute() throws(XMLError) {
        _ = try readName()
        skipSpace()
        guard skip("=") else { throw XMLError("An attribute of the XML has no value.") }
        skipSpace()
        guard offset < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[offset]) else {
            throw XMLError("An attribute of the XML has no quotation marks.")
        }
        let quote = bytes[offset]
        guard let end = bytes[(offset + 1)...].firstIndex(of: quote),
            !bytes[(offset + 1)..<end].contains(UInt8(ascii: "<"))
        else { throw XMLError("An attribute of the XML is not well-formed.") }
        offset = end + 1
    }

    private mutating func readName() throws(XMLError) -> ArraySlice<UInt8> {
        let start = offset
        while offset < bytes.count, XMLReader.isNamePart(bytes[offset]) { offset += 1 }
        guard offset > start, !XMLReader.isDigitOrHyphen(bytes[start]) else {
            throw XMLError("A name in the XML is not well-formed.")
        }
        return bytes[start..<offset]
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), 0x80...0xff:
            true
        default: isDigitOrHyphen(byte)
        }
    }

    private static func isDigitOrHyphen(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    // MARK: Text

    private mutating func readText() throws(XMLError) {
        let end = bytes[offset...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        guard !openElements.isEmpty else {
            guard bytes[offset..<end].allSatisfy(XMLReader.isSpace) else {
                throw XMLError("The XML has text outside of its root element.")
            }
            offset = end
            return
        }
        while offset < end {
            if bytes[offset] == UInt8(ascii: "&") {
                let character = try readReference(before: end)
                for byte in String(character).utf8 { append(byte) }
            } else {
                try readCharacter()
            }
        }
    }

    private mutating func readCharacterData() throws(XMLError) {
        guard !openElements.isEmpty else { throw XMLError("The XML has text outside of its root element.") }
        while !skip("]]>") {
            guard offset < bytes.count else { throw XMLError("The XML ends within character data.") }
            try readCharacter()
        }
    }

    /// Reads one byte of text. An end of line is read as one line feed.
    private mutating func readCharacter() throws(XMLError) {
        let byte = bytes[offset]
        guard byte >= 0x20 || XMLReader.isSpace(byte) else {
            throw XMLError("The XML has a control character.")
        }
        if byte == UInt8(ascii: "\r") {
            if offset + 1 < bytes.count, bytes[offset + 1] == UInt8(ascii: "\n") { offset += 1 }
            append(UInt8(ascii: "\n"))
        } else {
            append(byte)
        }
        offset += 1
    }

    /// Reads a reference such as `&amp;` or `&#x2F;`.
    private mutating func readReference(before end: Int) throws(XMLError) -> Unicode.Scalar {
        guard let semicolon = bytes[offset..<end].prefix(XMLReader.referenceBytesMax).firstIndex(of: UInt8(ascii: ";"))
        else { throw XMLError("The XML has an ampersand that is not escaped.") }
        let name = String(decoding: bytes[(offset + 1)..<semicolon], as: UTF8.self)
        offset = semicolon + 1
        guard let character = XMLReader.characters[name] ?? XMLReader.numbered(name) else {
            throw XMLError("The XML has an entity that is not known.")
        }
        return character
    }

    /// The largest length of a reference, in bytes: `&#x10FFFF;` with some zeros.
    private static let referenceBytesMax = 16

    private static let characters: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
    ]

    /// Returns the character of a reference by number. References to control characters are permitted, because the
    /// names of objects may contain control characters.
    private static func numbered(_ name: String) -> Unicode.Scalar? {
        guard name.begins(with: "#") else { return nil }
        let isHexadecimal = name.begins(with: "#x")
        let digits = Substring(name.utf8.dropFirst(isHexadecimal ? 2 : 1))
        // A plus sign is refused here, because `UInt32.init` would accept it.
        // Bounded: a text is parsed.
        guard !digits.begins(with: "+"), let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), number > 0 else {
            return nil
        }
        return Unicode.Scalar(number)
    }

    private mutating func append(_ byte: UInt8) { openElements[openElements.count - 1].text.append(byte) }

    // MARK: Bytes

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\t")
    }

    /// Skips white space.
    ///
    /// - Returns: Whether there was any white space.
    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = offset
        while offset < bytes.count, XMLReader.isSpace(bytes[offset]) { offset += 1 }
        return offset > start
    }

    /// Skips a text if it is at the current position.
    private mutating func skip(_ text: StaticString) -> Bool {
        skip(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func skip(_ text: some Collection<UInt8>) -> Bool {
        guard bytes[offset...].starts(with: text) else { return false }
        offset += text.count
        return true
    }

    private mutating func skipThrough(_ text: StaticString) throws(XMLError) {
        while !skip(text) {
            guard offset < bytes.count else { throw XMLError("The XML ends within a comment or an instruction.") }
            offset += 1
        }
    }
}
