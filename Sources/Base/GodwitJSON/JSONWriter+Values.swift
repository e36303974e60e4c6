//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Writing of values.
extension JSONWriter {
    /// Appends a value without white space, with members in their order.
    ///
    /// Infinities, NaN, and big integers whose digits are not an integer are written as `null`.
    package static func append(_ value: JSONValue, to output: inout [UInt8]) {
        var frames: [Frame] = []
        if let frame = appendScalarOrOpening(of: value, to: &output) { frames.append(frame) }
        while var frame = frames.popLast() {
            if let child = appendChildren(of: &frame, to: &output) {
                frames.append(frame)
                frames.append(child)
            }
        }
    }

    /// A container that is being written, and the position of its next child.
    private struct Frame {
        let container: JSONValue
        var nextIndex = 0
    }

    /// Appends the remaining children of a container, up to a child that is a container.
    ///
    /// - Returns: A frame for that child, whose opening bracket is written; `nil` when the container is closed.
    private static func appendChildren(of frame: inout Frame, to output: inout [UInt8]) -> Frame? {
        switch frame.container {
        case .array(let elements):
            while frame.nextIndex < elements.count {
                if frame.nextIndex > 0 { output.append(.comma) }
                frame.nextIndex += 1
                if let child = appendScalarOrOpening(of: elements[frame.nextIndex - 1], to: &output) { return child }
            }
            output.append(.closeBracket)
        case .object(let members):
            while frame.nextIndex < members.count {
                if frame.nextIndex > 0 { output.append(.comma) }
                frame.nextIndex += 1
                let (key, value) = members[frame.nextIndex - 1]
                appendQuoted(key, to: &output)
                output.append(.colon)
                if let child = appendScalarOrOpening(of: value, to: &output) { return child }
            }
            output.append(.closeBrace)
        default: break
        }
        return nil
    }

    /// Appends a scalar, or the opening bracket of a container.
    ///
    /// - Returns: A frame for the container; `nil` for a scalar.
    private static func appendScalarOrOpening(of value: JSONValue, to output: inout [UInt8]) -> Frame? {
        switch value {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let bool): output.append(contentsOf: bool ? "true".utf8 : "false".utf8)
        case .integer(let integer): append(Int(integer), to: &output)
        case .bigInteger(let digits): appendInteger(digits, to: &output)
        case .double(let double): append(double, to: &output)
        case .string(let string): appendQuoted(string, to: &output)
        case .array:
            output.append(.openBracket)
            return Frame(container: value)
        case .object:
            output.append(.openBrace)
            return Frame(container: value)
        }
        return nil
    }

    private static func appendInteger(_ digits: String, to output: inout [UInt8]) {
        var unsigned = digits.utf8[...]
        if unsigned.first == .minus { unsigned.removeFirst() }
        let isInteger = unsigned.first.map { $0 != .zero || unsigned.count == 1 } ?? false
        guard isInteger, unsigned.allSatisfy(\.isDigit) else { return output.append(contentsOf: "null".utf8) }
        output.append(contentsOf: digits.utf8)
    }
}
