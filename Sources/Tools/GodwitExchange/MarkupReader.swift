//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

// XML as GPS receivers and apps write it: elements, attributes, references, CDATA, comments, instructions. Foundation's
// XML parser is not used for two reasons. Every server would load this parser at its start, although servers read no
// XML. The parser also requires that memory contains the complete file.

/// An event of a ``MarkupReader``.
enum MarkupEvent: Equatable {
    case start(name: String, attributes: [ExactText: String])
    case text(String)
    case end(name: String)
}

/// The error of a text that is not XML.
struct MarkupError: Error {}

/// Reads XML in UTF-8 as a stream. Text that is not well-formed is refused, for example tags that do not match, more
/// than one root, or unknown references. A document type that contains declarations is also refused.
struct MarkupReader {
    private(set) var window: FileWindow
    private var openElements: [String] = []
    private var hasRoot = false
    /// Whether the last tag both opened and closed its element, so that the next event is the end of this element.
    private var hasPendingEnd = false

    init(_ window: FileWindow) { self.window = window }

    /// The current line, from 1.
    var line: Int { window.line }

    /// Returns the next event; `nil` at the end of the file after the root element.
    ///
    /// - Throws: ``ExchangeError`` with the line when the text is not well-formed, when elements are nested deeper than
    ///   ``ExchangeLimits/markupDepthMax``, or when the file cannot be read.
    mutating func next() throws(ExchangeError) -> MarkupEvent? {
        if hasPendingEnd {
            hasPendingEnd = false
            return .end(name: openElements.removeLast())
        }
        while try window.has(1) {
            if window[0] != UInt8(ascii: "<") {
                if let text = try text() { return text }
            } else if try window.take("<![CDATA[") {
                guard !openElements.isEmpty else { throw malformed() }
                guard let text = try? Markup.string(try takeUntil("]]>")[...]) else { throw malformed() }
                return .text(text)
            } else if try !skipUnusedMarkup() {
                return try tag()
            }
        }
        guard openElements.isEmpty, hasRoot else { throw malformed() }
        return nil
    }

    private func malformed() -> ExchangeError { ExchangeError(line: line, "this is not well-formed XML") }

    /// Skips a comment, an instruction or a document type, and returns whether there was one.
    private mutating func skipUnusedMarkup() throws(ExchangeError) -> Bool {
        if try window.take("<!--") {
            _ = try takeUntil("-->")
        } else if try window.take("<?") {
            _ = try takeUntil("?>")
        } else if try window.take("<!DOCTYPE") {
            guard try !takeUntil(">").contains(UInt8(ascii: "[")) else { throw malformed() }
        } else {
            return false
        }
        return true
    }

    private mutating func text() throws(ExchangeError) -> MarkupEvent? {
        let piece = window.take(try window.offset(of: "<") ?? window.count)
        guard openElements.isEmpty else {
            guard let text = try? Markup.resolved(piece[...]) else { throw malformed() }
            return .text(text)
        }
        guard piece.allSatisfy(\.isBlank) else { throw malformed() }
        return nil
    }

    /// Returns the bytes before the next occurrence of a text, and consumes these bytes and the text.
    private mutating func takeUntil(_ text: StaticString) throws(ExchangeError) -> [UInt8] {
        guard let end = try window.offset(of: text) else { throw malformed() }
        defer { window.use(text.utf8CodeUnitCount) }
        return window.take(end)
    }

    private mutating func tag() throws(ExchangeError) -> MarkupEvent {
        let text = try takeTag()
        guard let tag = try? MarkupTag(text) else { throw malformed() }
        if tag.isEnd {
            guard ExactText.areEqual(openElements.popLast(), tag.name) else { throw malformed() }
            return .end(name: tag.name)
        }
        guard !hasRoot || !openElements.isEmpty, openElements.count < ExchangeLimits.markupDepthMax else {
            throw malformed()
        }
        hasRoot = true
        openElements.append(tag.name)
        hasPendingEnd = tag.isEmpty
        return .start(name: tag.name, attributes: tag.attributes)
    }

    /// Consumes a tag up to its end. A `>` within quotes does not end the tag.
    private mutating func takeTag() throws(ExchangeError) -> [UInt8] {
        var offset = 1
        var quote: UInt8?
        while try window.has(offset + 1) {
            let byte = window[offset]
            offset += 1
            if let openQuote = quote {
                if byte == openQuote { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return window.take(offset)
            }
        }
        throw malformed()
    }
}
