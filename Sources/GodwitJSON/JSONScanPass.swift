//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One scan of a JSON text: the outer part of the grammar, which is values and their separators.
///
/// After each value `position` is the offset of the next byte. The open containers are in a ``ContainerStack``, without
/// recursion.
struct JSONScanPass<Sink: JSONSink> {
    let text: JSONText
    let depthMax: Int
    var sink: Sink
    private var position = 0
    /// The position of the next check for cancellation; `Int.max` for a scan that is not cancelled.
    private var nextCheck: Int
    private var open = ContainerStack()

    init(text: JSONText, limits: JSONLimits, sink: Sink) {
        self.text = text
        depthMax = limits.depthMax
        nextCheck = limits.stopsWhenCancelled ? JSONLimits.bytesPerCheck : .max
        self.sink = sink
    }

    /// Scans the text from its start to its end.
    mutating func run() throws(JSONError) {
        repeat {
            position = text.skippingSpace(from: position)
            if position >= nextCheck { try checkCancellation() }
            let opened = try scanValue()
            if opened, try !closeIfEmpty() { continue }
            try finishValue()
        } while open.depth > 0
        position = text.skippingSpace(from: position)
        guard position == text.count else {
            throw text.unexpected(at: position, expected: "the end of the text")
        }
    }

    private mutating func checkCancellation() throws(JSONError) {
        guard !Task.isCancelled else { throw JSONError(.cancelled, at: position, "the task was cancelled") }
        nextCheck = position + JSONLimits.bytesPerCheck
    }

    /// Scans a complete scalar, or the first byte of a container.
    ///
    /// - Returns: Whether a container was opened.
    @inline(__always)
    private mutating func scanValue() throws(JSONError) -> Bool {
        guard position < text.count else { throw text.unexpected(at: position, expected: "a value") }
        let start = position
        switch text[start] {
        case .quote:
            var traits: JSONStringTraits = []
            position = try text.endOfString(from: start, traits: &traits)
            sink.string(start: start, end: position, traits: traits)
        case .openBrace:
            try push(.object)
            return true
        case .openBracket:
            try push(.array)
            return true
        case .minus, .zero ... .zero + 9:
            var isInteger = true
            position = try text.endOfNumber(from: start, isInteger: &isInteger)
            sink.scalar(isInteger ? .integer : .double, start: start, end: position)
        default:
            let (kind, end) = try text.literal(at: start)
            position = end
            sink.scalar(kind, start: start, end: end)
        }
        return false
    }

    @inline(__always)
    private mutating func push(_ kind: JSONKind) throws(JSONError) {
        guard open.depth < depthMax else {
            throw JSONError(.tooDeep, at: position, "expected at most \(depthMax) levels of arrays and objects")
        }
        open.push(isObject: kind == .object)
        sink.open(kind, at: position)
        position += 1
    }

    /// Closes the container if it is empty; otherwise moves to its first value. `position` is after the opening
    /// bracket.
    ///
    /// - Returns: Whether the container was empty.
    @inline(__always)
    private mutating func closeIfEmpty() throws(JSONError) -> Bool {
        position = text.skippingSpace(from: position)
        let isObject = open.topIsObject
        if position < text.count, text[position] == (isObject ? .closeBrace : .closeBracket) {
            close()
            return true
        }
        if isObject { try scanKey(expected: "a member's name or the end of the object") }
        return false
    }

    /// Closes the containers that end after a value, and moves to the next value if the text has one.
    @inline(__always)
    private mutating func finishValue() throws(JSONError) {
        while open.depth > 0 {
            position = text.skippingSpace(from: position)
            let byte = position < text.count ? text[position] : 0
            let isObject = open.topIsObject
            if byte == .comma {
                position += 1
                if isObject {
                    position = text.skippingSpace(from: position)
                    try scanKey(expected: "a member's name")
                }
                return
            }
            guard byte == (isObject ? .closeBrace : .closeBracket) else {
                throw text.unexpected(
                    at: position,
                    expected: isObject ? "a comma or the end of the object" : "a comma or the end of the array"
                )
            }
            close()
        }
    }

    @inline(__always)
    private mutating func close() {
        position += 1
        open.pop()
        sink.close(endingAt: position)
    }

    /// Scans a member's name and its colon.
    @inline(__always)
    private mutating func scanKey(expected: StaticString) throws(JSONError) {
        let start = position
        guard start < text.count, text[start] == .quote else {
            throw text.unexpected(at: start, expected: expected)
        }
        var traits: JSONStringTraits = []
        let end = try text.endOfString(from: start, traits: &traits)
        sink.key(start: start, end: end, traits: traits)
        position = text.skippingSpace(from: end)
        guard position < text.count, text[position] == .colon else {
            throw text.unexpected(at: position, expected: "a colon")
        }
        position += 1
    }
}
