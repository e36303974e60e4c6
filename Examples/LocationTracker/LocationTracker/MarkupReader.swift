//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// XML as receivers and apps write it: elements, attributes, references, CDATA, comments, instructions. Foundation's parser
// would be loaded into every server that starts, which reads no XML.

/// What a text in XML says, piece by piece.
enum MarkupEvent: Equatable {
    case start(name: String, attributes: [String: String])
    case text(String)
    case end(name: String)
}

/// A text that is no XML, or has a document type with declarations of its own.
struct MarkupError: Error {}

/// Reads XML in UTF-8, and refuses what is not well-formed: tags that do not match, more than one root, unknown references.
struct MarkupReader {
    private let bytes: [UInt8]
    private var place = 0
    private var open: [String] = []
    private var hasRoot = false
    /// The end of an element that was opened and closed by one tag.
    private var pendingEnd = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    }

    /// The line at which reading stands, from 1.
    var line: Int { 1 + bytes[..<min(place, bytes.count)].count { $0 == UInt8(ascii: "\n") } }

    /// The next piece; `nil` when the root element was closed and nothing but comments came after it.
    mutating func next() throws(MarkupError) -> MarkupEvent? {
        if pendingEnd {
            pendingEnd = false
            return .end(name: open.removeLast())
        }
        while place < bytes.count {
            if bytes[place] != UInt8(ascii: "<") {
                if let text = try text() { return text }
            } else if take("<![CDATA[") {
                guard !open.isEmpty else { throw MarkupError() }
                return .text(try upTo("]]>"))
            } else if try !passedUnseen() {
                return take("</") ? try end() : try start()
            }
        }
        guard open.isEmpty, hasRoot else { throw MarkupError() }
        return nil
    }

    /// Passes a comment, an instruction or a document type.
    private mutating func passedUnseen() throws(MarkupError) -> Bool {
        if take("<!--") {
            _ = try upTo("-->")
        } else if take("<?") {
            _ = try upTo("?>")
        } else if take("<!DOCTYPE") {
            guard try !upTo(">").contains("[") else { throw MarkupError() }
        } else {
            return false
        }
        return true
    }

    private mutating func text() throws(MarkupError) -> MarkupEvent? {
        let start = place
        place = bytes[place...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        guard open.isEmpty else { return .text(try resolved(bytes[start..<place])) }
        guard bytes[start..<place].allSatisfy(MarkupReader.isBlank) else { throw MarkupError() }
        return nil
    }

    private mutating func start() throws(MarkupError) -> MarkupEvent {
        place += 1
        let name = try self.name()
        guard !hasRoot || !open.isEmpty else { throw MarkupError() }
        var attributes: [String: String] = [:]
        while true {
            let hadBlanks = passBlanks()
            if take("/>") {
                pendingEnd = true
                break
            }
            if take(">") { break }
            guard hadBlanks else { throw MarkupError() }
            let (key, value) = try attribute()
            guard attributes.updateValue(value, forKey: key) == nil else { throw MarkupError() }
        }
        hasRoot = true
        open.append(name)
        return .start(name: name, attributes: attributes)
    }

    private mutating func attribute() throws(MarkupError) -> (String, String) {
        let key = try name()
        passBlanks()
        guard take("=") else { throw MarkupError() }
        passBlanks()
        guard place < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[place]),
            let end = bytes[(place + 1)...].firstIndex(of: bytes[place])
        else { throw MarkupError() }
        let value = bytes[(place + 1)..<end]
        guard !value.contains(UInt8(ascii: "<")) else { throw MarkupError() }
        place = end + 1
        return (key, try resolved(value))
    }

    private mutating func end() throws(MarkupError) -> MarkupEvent {
        let name = try self.name()
        passBlanks()
        guard take(">"), open.popLast() == name else { throw MarkupError() }
        return .end(name: name)
    }

    private mutating func name() throws(MarkupError) -> String {
        let start = place
        while place < bytes.count, !MarkupReader.isBlank(bytes[place]), !MarkupReader.delimiters.contains(bytes[place])
        {
            place += 1
        }
        guard place > start, !MarkupReader.cannotBegin.contains(bytes[start]) else { throw MarkupError() }
        return try MarkupReader.string(bytes[start..<place])
    }

    private static let delimiters = Array("<>/='\"&".utf8)
    private static let cannotBegin = Array("0123456789-.".utf8)

    /// Goes on when this stands here.
    private mutating func take(_ text: StaticString) -> Bool {
        let isHere = text.withUTF8Buffer { bytes[place...].starts(with: $0) }
        if isHere { place += text.utf8CodeUnitCount }
        return isHere
    }

    /// What stands before the next occurrence of a text, behind which reading goes on.
    private mutating func upTo(_ text: StaticString) throws(MarkupError) -> String {
        let start = place
        while place < bytes.count {
            let end = place
            if take(text) { return try MarkupReader.string(bytes[start..<end]) }
            place += 1
        }
        throw MarkupError()
    }

    /// - Returns: Whether there was one.
    @discardableResult
    private mutating func passBlanks() -> Bool {
        let start = place
        while place < bytes.count, MarkupReader.isBlank(bytes[place]) { place += 1 }
        return place > start
    }

    /// A text with the characters for which its references stand.
    private func resolved(_ text: ArraySlice<UInt8>) throws(MarkupError) -> String {
        var result = ""
        var rest = text
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            guard let end = rest[start...].firstIndex(of: UInt8(ascii: ";")) else { throw MarkupError() }
            result += try MarkupReader.string(rest[..<start])
            result.unicodeScalars.append(try MarkupReader.character(try MarkupReader.string(rest[(start + 1)..<end])))
            rest = rest[(end + 1)...]
        }
        return result + (try MarkupReader.string(rest))
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

    private static func string(_ bytes: ArraySlice<UInt8>) throws(MarkupError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw MarkupError() }
        return text
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
