//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// XML as GPS receivers and apps write it: elements, attributes, references, CDATA, comments, instructions. Foundation's
// parser would be loaded into every server at its start, although servers read no XML, and it needs the complete file.

/// An event of a ``MarkupReader``.
enum MarkupEvent: Equatable {
    case start(name: String, attributes: [String: String])
    case text(String)
    case end(name: String)
}

/// The text is not XML.
struct MarkupError: Error {}

/// Reads XML in UTF-8 as a stream, and refuses text that is not well-formed: tags that do not match, more than one
/// root, unknown references. It also refuses a document type with declarations.
struct MarkupReader {
    private(set) var window: FileWindow
    private var open: [String] = []
    private var hasRoot = false
    /// Whether the last tag opened and closed its element, so that the end is the next event.
    private var pendingEnd = false

    init(_ window: FileWindow) { self.window = window }

    /// The current line, from 1.
    var line: Int { window.line }

    /// Returns the next event; `nil` at the end of the file after the root element.
    ///
    /// - Throws: ``ExchangeError`` with the line when the text is not well-formed, when elements are nested deeper than
    ///   ``ExchangeLimits/markupDepthMax``, or when the file cannot be read.
    mutating func next() throws(ExchangeError) -> MarkupEvent? {
        if pendingEnd {
            pendingEnd = false
            return .end(name: open.removeLast())
        }
        while try window.has(1) {
            if window[0] != UInt8(ascii: "<") {
                if let text = try text() { return text }
            } else if try window.take("<![CDATA[") {
                guard !open.isEmpty else { throw broken() }
                guard let text = try? Markup.string(try upTo("]]>")[...]) else { throw broken() }
                return .text(text)
            } else if try !passedUnseen() {
                return try tag()
            }
        }
        guard open.isEmpty, hasRoot else { throw broken() }
        return nil
    }

    private func broken() -> ExchangeError { ExchangeError(line: line, "this is not well-formed XML") }

    /// Skips a comment, an instruction or a document type, and returns whether there was one.
    private mutating func passedUnseen() throws(ExchangeError) -> Bool {
        if try window.take("<!--") {
            _ = try upTo("-->")
        } else if try window.take("<?") {
            _ = try upTo("?>")
        } else if try window.take("<!DOCTYPE") {
            guard try !upTo(">").contains(UInt8(ascii: "[")) else { throw broken() }
        } else {
            return false
        }
        return true
    }

    private mutating func text() throws(ExchangeError) -> MarkupEvent? {
        let piece = window.take(try window.offset(of: "<") ?? window.count)
        guard open.isEmpty else {
            guard let text = try? Markup.resolved(piece[...]) else { throw broken() }
            return .text(text)
        }
        guard piece.allSatisfy(\.isBlank) else { throw broken() }
        return nil
    }

    /// Returns the bytes before the next occurrence of a text, and consumes both.
    private mutating func upTo(_ text: StaticString) throws(ExchangeError) -> [UInt8] {
        guard let end = try window.offset(of: text) else { throw broken() }
        defer { window.use(text.utf8CodeUnitCount) }
        return window.take(end)
    }

    private mutating func tag() throws(ExchangeError) -> MarkupEvent {
        let text = try takeTag()
        guard let tag = try? MarkupTag(text) else { throw broken() }
        if tag.isEnd {
            guard open.popLast() == tag.name else { throw broken() }
            return .end(name: tag.name)
        }
        guard !hasRoot || !open.isEmpty, open.count < ExchangeLimits.markupDepthMax else { throw broken() }
        hasRoot = true
        open.append(tag.name)
        pendingEnd = tag.isEmpty
        return .start(name: tag.name, attributes: tag.attributes)
    }

    /// Consumes a tag up to its end. A `>` within quotes does not end it.
    private mutating func takeTag() throws(ExchangeError) -> [UInt8] {
        var offset = 1
        var quote: UInt8?
        while try window.has(offset + 1) {
            let byte = window[offset]
            offset += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return window.take(offset)
            }
        }
        throw broken()
    }
}
