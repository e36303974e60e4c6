//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One scan of a JSON text. This type scans the outer part of the grammar: values and their separators.
///
/// After each value `offset` is the offset of the next byte. The open containers are in a ``ContainerStack``, without
/// recursion.
struct JSONScanPass<Sink: JSONSink> {
    let text: JSONText
    let depthMax: Int
    var sink: Sink
    private var offset = 0
    /// The offset of the next check for cancellation. The offset is `Int.max` for a scan that does not stop when the
    /// task is cancelled.
    private var nextCheckOffset: Int
    private var openContainers = ContainerStack()

    init(text: JSONText, limits: JSONLimits, sink: Sink) {
        self.text = text
        depthMax = limits.depthMax
        nextCheckOffset = limits.stopsWhenCancelled ? JSONLimits.bytesPerCheck : .max
        self.sink = sink
    }

    /// Scans the text from its start to its end.
    mutating func run() throws(JSONError) {
        repeat {
            offset = text.skippingSpace(from: offset)
            if offset >= nextCheckOffset { try checkCancellation() }
            let isContainer = try scanValue()
            if isContainer, try !closeIfEmpty() { continue }
            try finishValue()
        } while openContainers.depth > 0
        offset = text.skippingSpace(from: offset)
        guard offset == text.count else {
            throw text.unexpected(at: offset, expected: "the end of the text")
        }
    }

    private mutating func checkCancellation() throws(JSONError) {
        guard !Task.isCancelled else { throw JSONError(.cancelled, at: offset, "the task was cancelled") }
        nextCheckOffset = offset + JSONLimits.bytesPerCheck
    }

    /// Scans a complete scalar, or the first byte of a container.
    ///
    /// - Returns: Whether the value was a container, which is now open.
    @inline(__always)
    private mutating func scanValue() throws(JSONError) -> Bool {
        guard offset < text.count else { throw text.unexpected(at: offset, expected: "a value") }
        let start = offset
        switch text[start] {
        case .quote:
            var traits: JSONStringTraits = []
            offset = try text.endOfString(from: start, traits: &traits)
            sink.string(start: start, end: offset, traits: traits)
        case .openBrace:
            try push(.object)
            return true
        case .openBracket:
            try push(.array)
            return true
        case .minus, .zero ... .zero + 9:
            var isInteger = true
            offset = try text.endOfNumber(from: start, isInteger: &isInteger)
            sink.scalar(isInteger ? .integer : .double, start: start, end: offset)
        default:
            let (kind, end) = try text.literal(at: start)
            offset = end
            sink.scalar(kind, start: start, end: end)
        }
        return false
    }

    @inline(__always)
    private mutating func push(_ kind: JSONKind) throws(JSONError) {
        guard openContainers.depth < depthMax else {
            throw JSONError(.tooDeep, at: offset, "expected at most \(depthMax) levels of arrays and objects")
        }
        openContainers.push(isObject: kind == .object)
        sink.open(kind, at: offset)
        offset += 1
    }

    /// Closes the container if it is empty; otherwise, moves to its first value. `offset` is after the opening bracket.
    ///
    /// - Returns: Whether the container was empty.
    @inline(__always)
    private mutating func closeIfEmpty() throws(JSONError) -> Bool {
        offset = text.skippingSpace(from: offset)
        let isObject = openContainers.topIsObject
        if offset < text.count, text[offset] == (isObject ? .closeBrace : .closeBracket) {
            close()
            return true
        }
        if isObject { try scanKey(expected: "a member's name or the end of the object") }
        return false
    }

    /// Closes the containers that end after a value, and moves to the next value if the text has one.
    @inline(__always)
    private mutating func finishValue() throws(JSONError) {
        while openContainers.depth > 0 {
            offset = text.skippingSpace(from: offset)
            let byte = offset < text.count ? text[offset] : 0
            let isObject = openContainers.topIsObject
            if byte == .comma {
                offset += 1
                if isObject {
                    offset = text.skippingSpace(from: offset)
                    try scanKey(expected: "a member's name")
                }
                return
            }
            guard byte == (isObject ? .closeBrace : .closeBracket) else {
                throw text.unexpected(
                    at: offset,
                    expected: isObject ? "a comma or the end of the object" : "a comma or the end of the array"
                )
            }
            close()
        }
    }

    @inline(__always)
    private mutating func close() {
        offset += 1
        openContainers.pop()
        sink.close(endingAt: offset)
    }

    /// Scans a member's name and its colon.
    @inline(__always)
    private mutating func scanKey(expected: StaticString) throws(JSONError) {
        let start = offset
        guard start < text.count, text[start] == .quote else {
            throw text.unexpected(at: start, expected: expected)
        }
        var traits: JSONStringTraits = []
        let end = try text.endOfString(from: start, traits: &traits)
        sink.key(start: start, end: end, traits: traits)
        offset = text.skippingSpace(from: end)
        guard offset < text.count, text[offset] == .colon else {
            throw text.unexpected(at: offset, expected: "a colon")
        }
        offset += 1
    }
}
