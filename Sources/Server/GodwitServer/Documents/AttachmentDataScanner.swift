//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Finds the data of inline attachments in a JSON text that arrives in pieces.
///
/// The scanner does not check the text. In a malformed text it may find data anywhere, so the rest of the text must be
/// parsed afterwards. A member whose name is written with an escape is not found.
struct AttachmentDataScanner {
    /// The position of documents in the text.
    enum Shape {
        /// The text is one document.
        case document
        /// The documents are the elements of the member `docs`.
        case list
    }

    /// A part of a piece.
    enum Part: Equatable {
        /// Bytes that are not data.
        case text(Range<Int>)
        /// Data begins: the last byte of the text was its quotation mark.
        case dataStart
        /// Bytes of the data as they are in the text, with escapes.
        case data(Range<Int>)
        /// The data has ended: the next byte of the text is its quotation mark.
        case dataEnd
    }

    /// A container on the path from the root of the text to the data of an attachment.
    private struct Level {
        let isObject: Bool
        /// The member that leads to the next level; empty if all members or elements do.
        let key: [UInt8]

        static let document = [
            Level(isObject: true, key: Array("_attachments".utf8)), Level(isObject: true, key: []),
            Level(isObject: true, key: Array("data".utf8)),
        ]
        static let list = [
            Level(isObject: true, key: Array("docs".utf8)), Level(isObject: false, key: []),
        ]
    }

    private enum State { case structure, key, string, data }

    /// The number of bytes of a key that are compared. All keys of the path are shorter.
    private static let keyBytesMax = 16

    private let path: [Level]
    private var state = State.structure
    /// Whether the next byte of a string belongs to an escape.
    private var isEscaped = false
    /// The number of open containers.
    private var depth = 0
    /// The number of open containers, counted from the root, that are on the path.
    private var matchedDepth = 0
    /// The first bytes of the last key in the innermost container, if this container is on the path.
    private var key: [UInt8] = []
    /// Whether a string in the innermost container is a key, if this container is on the path.
    private var expectsKey = false
    /// Whether ``Part/dataStart`` was returned for the current data.
    private var hasReportedStart = false

    init(_ shape: Shape) {
        path = shape == .list ? Level.list + Level.document : Level.document
    }

    private var isOnPath: Bool { matchedDepth == depth }

    /// Whether the value that follows is on the path or is the data at its end.
    private var leadsOn: Bool {
        guard isOnPath else { return false }
        guard depth > 0 else { return true }
        let wanted = path[depth - 1].key
        return wanted.isEmpty || wanted == key
    }

    /// Returns the next part of a piece, and moves the position behind it; `nil` at the end of the piece.
    mutating func next(in piece: UnsafeBufferPointer<UInt8>, at position: inout Int) -> Part? {
        guard position < piece.count else { return nil }
        let start = position
        if state == .data { return nextOfData(in: piece, from: start, &position) }
        while position < piece.count {
            let byte = piece[position]
            position += 1
            switch state {
            case .structure:
                readStructure(byte)
                if state == .data { break }
                continue
            case .key, .string:
                readString(byte)
                continue
            case .data: break
            }
            // The quotation mark belongs to the text. The next call begins with the data.
            return .text(start..<position)
        }
        return .text(start..<position)
    }

    private mutating func nextOfData(
        in piece: UnsafeBufferPointer<UInt8>, from start: Int, _ position: inout Int
    ) -> Part {
        guard hasReportedStart else {
            hasReportedStart = true
            return .dataStart
        }
        while position < piece.count {
            let byte = piece[position]
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                guard position == start else { return .data(start..<position) }
                // This byte is read again, as the end of a usual string.
                (state, hasReportedStart) = (.string, false)
                return .dataEnd
            }
            position += 1
        }
        return .data(start..<position)
    }

    private mutating func readString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            state = .structure
            return
        }
        if state == .key, key.count < Self.keyBytesMax { key.append(byte) }
    }

    private mutating func readStructure(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isObject = byte == UInt8(ascii: "{")
            if depth < path.count, leadsOn, path[depth].isObject == isObject { matchedDepth += 1 }
            depth += 1
            assert(matchedDepth <= min(depth, path.count), "the path is longer than what is open")
            expectsKey = isObject
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth = max(depth - 1, 0)
            matchedDepth = min(matchedDepth, depth)
            expectsKey = false
        case UInt8(ascii: ","): expectsKey = isOnPath && depth > 0 && path[depth - 1].isObject
        case UInt8(ascii: ":"): expectsKey = false
        case UInt8(ascii: "\""):
            if isOnPath, expectsKey {
                key.removeAll(keepingCapacity: true)
                state = .key
            } else {
                state = depth == path.count && leadsOn ? .data : .string
            }
        default: break
        }
    }
}
