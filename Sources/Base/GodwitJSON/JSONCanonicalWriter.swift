//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Writes the canonical form of a value, with an explicit stack in place of recursion.
struct JSONCanonicalWriter {
    let tape: JSONTape
    private var frames: [Frame] = []
    /// The sorted names of all open objects, the names of the innermost object last.
    private var names: [JSONOrderedName] = []

    /// A container that is being written.
    private struct Frame {
        let isObject: Bool
        /// For an array, the index of the next element; for an object, the offset of the next name in ``names``.
        var position: Int
        let end: Int
        /// The offset of the object's first name in ``names``.
        let namesStart: Int
    }

    init(tape: JSONTape) {
        self.tape = tape
        frames.reserveCapacity(Self.framesReserved)
        names.reserveCapacity(Self.namesReserved)
    }

    /// The number of frames for which memory is reserved. It is sufficient for most documents.
    private static let framesReserved = 8
    private static let namesReserved = 32

    mutating func append(_ index: Int, droppingUnderscoredMembers: Bool, to output: inout [UInt8]) {
        output.reserveCapacity(output.count + tape.range(index).count)
        appendValue(index, dropping: droppingUnderscoredMembers, to: &output)
        while let top = frames.indices.last {
            let frame = frames[top]
            guard frame.position < frame.end else {
                output.append(frame.isObject ? .closeBrace : .closeBracket)
                names.removeLast(names.count - frame.namesStart)
                frames.removeLast()
                continue
            }
            if let last = output.last, last != .openBrace, last != .openBracket { output.append(.comma) }
            appendNext(of: top, to: &output)
        }
    }

    private mutating func appendNext(of top: Int, to output: inout [UInt8]) {
        let position = frames[top].position
        guard frames[top].isObject else {
            frames[top].position = Int(tape.entries[position].next)
            return appendValue(position, dropping: false, to: &output)
        }
        frames[top].position = position + 1
        let name = Int(names[position].index)
        if isCanonicalAsWritten(member: name) {
            let start = Int(tape.entries[name].start)
            return append(start..<Int(tape.entries[name + 1].end), to: &output)
        }
        appendString(name, to: &output)
        output.append(.colon)
        appendValue(name + 1, dropping: false, to: &output)
    }

    /// Whether a member's name and value can be copied as one range of bytes. In compact texts, this is the most
    /// frequent case.
    @inline(__always)
    private func isCanonicalAsWritten(member name: Int) -> Bool {
        let value = tape.entries[name + 1]
        guard value.start - tape.entries[name].end == 1 else { return false }
        switch value.kind {
        case .null, .true, .false, .string:
            return !value.traits.union(tape.entries[name].traits).contains(.escaped)
        case .integer:
            return value.end - value.start != 2 && !tape.entries[name].traits.contains(.escaped)
        case .double, .array, .object:
            return false
        }
    }

    @inline(__always)
    private func append(_ range: Range<Int>, to output: inout [UInt8]) {
        tape.bytes.withUnsafeBytes { output.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    private mutating func appendValue(_ index: Int, dropping: Bool, to output: inout [UInt8]) {
        switch tape.kind(index) {
        case .null, .true, .false: append(tape.range(index), to: &output)
        case .integer: appendInteger(index, to: &output)
        case .double: appendDouble(index, to: &output)
        case .string: appendString(index, to: &output)
        case .array: openArray(index, to: &output)
        case .object: openObject(index, dropping: dropping, to: &output)
        }
    }

    private mutating func openArray(_ index: Int, to output: inout [UInt8]) {
        output.append(.openBracket)
        let end = Int(tape.entries[index].next)
        frames.append(Frame(isObject: false, position: index + 1, end: end, namesStart: names.count))
    }

    private mutating func openObject(_ index: Int, dropping: Bool, to output: inout [UInt8]) {
        output.append(.openBrace)
        let start = names.count
        JSONOrderedName.append(namesOf: index, in: tape, dropping: dropping, to: &names)
        frames.append(Frame(isObject: true, position: start, end: names.count, namesStart: start))
    }

    private func appendInteger(_ index: Int, to output: inout [UInt8]) {
        let range = tape.range(index)
        if range.count == 2, tape.bytes[range.lowerBound] == .minus, tape.bytes[range.lowerBound + 1] == .zero {
            output.append(.zero)
        } else {
            append(range, to: &output)
        }
    }

    private func appendDouble(_ index: Int, to output: inout [UInt8]) {
        let range = tape.range(index)
        tape.bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            let text = JSONText(base: base, count: buffer.count)
            JSONDecimal.appendECMAScript(text, range: range, to: &output)
        }
    }

    private func appendString(_ index: Int, to output: inout [UInt8]) {
        guard tape.entries[index].traits.contains(.escaped) else {
            return append(tape.range(index), to: &output)
        }
        tape.withText(of: index) { JSONWriter.appendQuoted(utf8: $0, to: &output) }
    }
}
