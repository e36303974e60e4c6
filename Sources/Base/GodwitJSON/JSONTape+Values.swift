//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads scalars, and builds values from subtrees.
extension JSONTape {
    /// Returns the number at an index; `nil` when it is not a number, has a fraction or an exponent, or does not fit
    /// into an `Int`.
    package func int(_ index: Int) -> Int? {
        guard entries[index].kind == .integer else { return nil }
        return bytes.withUnsafeBytes { JSONInteger.parse($0[range(index)]) }.map(Int.init)
    }

    /// Returns the number at an index, which may be an integer, as the nearest double; `nil` when the value is not a
    /// number.
    ///
    /// The result is infinite for an integer beyond the finite doubles.
    package func double(_ index: Int) -> Double? {
        switch entries[index].kind {
        case .integer, .double: bytes.withUnsafeBytes { Self.double(in: $0, range: range(index)) }
        default: nil
        }
    }

    /// Returns the boolean at an index; `nil` when the value is not a boolean.
    package func bool(_ index: Int) -> Bool? {
        switch entries[index].kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// Builds the value at an index. If several members of an object have the same name, the last one is used.
    ///
    /// - Throws: ``JSONError`` with code ``JSONError/Code/tooDeep`` when the value is nested deeper than
    ///   ``JSONLimits/valueDepthMax``.
    package func value(_ index: Int) throws(JSONError) -> JSONValue {
        if depth > JSONLimits.valueDepthMax { try checkValueDepth(of: index) }
        var builder = JSONValueBuilder(tape: self)
        return builder.build(index)
    }

    static func double(in buffer: UnsafeRawBufferPointer, range: Range<Int>) -> Double? {
        guard let base = buffer.baseAddress else { return nil }
        let text = JSONText(base: base, count: buffer.count)
        return JSONDecimal(text: text, range: range).double(in: text, range: range)
    }

    /// Throws when a subtree is deeper than a value may be.
    private func checkValueDepth(of index: Int) throws(JSONError) {
        var ends: [UInt32] = []
        for (offset, entry) in entries[index..<Int(entries[index].next)].enumerated() {
            while let end = ends.last, Int(end) <= index + offset { ends.removeLast() }
            guard entry.kind == .array || entry.kind == .object else { continue }
            ends.append(entry.next)
            if ends.count > JSONLimits.valueDepthMax {
                let message = "expected at most \(JSONLimits.valueDepthMax) levels of arrays and objects in a value"
                throw JSONError(.tooDeep, at: Int(entry.start), message)
            }
        }
    }
}
