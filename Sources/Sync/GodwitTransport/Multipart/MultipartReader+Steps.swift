//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The steps of the state machine. Each step reads the buffer and advances past the bytes that it can classify.

extension MultipartReader {
    /// Runs one step. The step either reaches the next event, or reads bytes that cause no event.
    mutating func step() throws(MultipartError) -> Step {
        switch state {
        case .start, .bodyStart: return matchLineStart()
        case .preamble, .body: return try scan()
        case .headers: return try readHeaderLine()
        case .closing:
            state = .ended
            buffer = []
            position = 0
            return .event(.end)
        case .ended: return .starved
        case .failed(let error): throw error
        }
    }
}

// MARK: Bodies

extension MultipartReader {
    private var isInPart: Bool {
        switch state {
        case .bodyStart, .body: true
        default: false
        }
    }

    private mutating func matchLineStart() -> Step {
        switch buffer.withUnsafeBufferPointer({ delimiter.match(in: $0, atLineStart: position) }) {
        case .text(to: position): return .starved
        case .text:
            state = isInPart ? .body : .preamble
            return .again
        case .delimiter(_, let next, let isClosing): return passDelimiter(to: next, isClosing: isClosing)
        }
    }

    private mutating func scan() throws(MultipartError) -> Step {
        switch buffer.withUnsafeBufferPointer({ delimiter.find(in: $0, from: position) }) {
        case .text(to: position): return .starved
        case .text(let end): return try passText(to: end)
        case .delimiter(position, let next, let isClosing): return passDelimiter(to: next, isClosing: isClosing)
        case .delimiter(let end, _, _): return try passText(to: end)
        }
    }

    private mutating func passDelimiter(to next: Int, isClosing: Bool) -> Step {
        let endsPart = isInPart
        state = isClosing ? .closing : .headers
        position = next
        return endsPart ? .event(.partEnd) : .again
    }

    /// Reads bytes of a part's body, or of the preamble.
    private mutating func passText(to end: Int) throws(MultipartError) -> Step {
        let start = position
        position = end
        if isInPart { return .event(.body(Array(buffer[start..<end]))) }
        preambleBytes += end - start
        guard preambleBytes <= limits.preambleBytesMax else {
            throw MultipartError(
                .preambleTooLarge,
                "no delimiter in the first \(limits.preambleBytesMax) bytes of the multipart body. Send the boundary "
                    + "that the content type names, after two hyphens, on the first line.")
        }
        return .again
    }
}

// MARK: Headers

extension MultipartReader {
    private mutating func readHeaderLine() throws(MultipartError) -> Step {
        let unreadBytes = buffer[position...].prefix(limits.headerBytesMax - headerBytes)
        guard let lineEnd = unreadBytes.firstIndex(of: .lineFeed) else {
            guard headerBytes + unreadBytes.count < limits.headerBytesMax else {
                throw MultipartError(
                    .headersTooLarge,
                    "part \(parts + 1) has more than \(limits.headerBytesMax) bytes of headers. Send shorter ones, "
                        + "and an empty line after them.")
            }
            return .starved
        }
        headerBytes += lineEnd + 1 - position
        position = lineEnd + 1
        var line = unreadBytes[..<lineEnd]
        if line.last == .carriageReturn { line.removeLast() }
        if line.isEmpty { return try beginPart() }
        guard headers.add(line: line) else {
            throw MultipartError(
                .malformedHeader,
                "a line in the headers of part \(parts + 1) is not a header. Send lines of a name, a colon and a value "
                    + "and an empty line before the part's body.")
        }
        return .again
    }

    private mutating func beginPart() throws(MultipartError) -> Step {
        guard parts < limits.partsMax else {
            throw MultipartError(
                .tooManyParts, "the multipart body has more than \(limits.partsMax) parts. Send fewer in one body.")
        }
        parts += 1
        let partHeaders = headers
        (headers, headerBytes, state) = (MultipartHeaders(), 0, .bodyStart)
        return .event(.headers(partHeaders))
    }
}
