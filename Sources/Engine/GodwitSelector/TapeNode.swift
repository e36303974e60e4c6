//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// A value in a scanned text, or the name of a member, as a ``JSONNode``.
struct TapeNode: JSONNode {
    /// The scanned text.
    let tape: JSONTape
    /// The index of the value in the tape.
    let index: Int

    var kind: JSONKind { tape.kind(index) }

    var number: JSONNumber {
        if tape.kind(index) == .double { return .double(tape.double(index) ?? 0) }
        if let integer = tape.int(index) { return .integer(Int64(integer)) }
        return .bigInteger(tape.string(index))
    }

    var textByteCount: Int {
        switch tape.kind(index) {
        case .string, .integer, .double: tape.range(index).count
        default: 0
        }
    }

    var memberCount: Int { tape.kind(index) == .object ? tape.count(of: index) : 0 }

    var elementCount: Int { tape.kind(index) == .array ? tape.count(of: index) : 0 }

    var elements: some Sequence<TapeNode> {
        tape.elements(of: index).lazy.map { TapeNode(tape: tape, index: $0) }
    }

    var members: some Sequence<(key: TapeNode, value: TapeNode)> {
        tape.members(of: index).lazy.map {
            (key: TapeNode(tape: tape, index: $0.key), value: TapeNode(tape: tape, index: $0.value))
        }
    }

    func member(_ name: String) -> TapeNode? {
        tape.member(name, of: index).map { TapeNode(tape: tape, index: $0) }
    }

    func meets(_ condition: any GeoCondition, _ meter: WorkMeter?) -> Bool {
        condition.matches(tape, at: index, meter)
    }

    /// Calls the closure with the bytes of the scanned text, or with an unescaped copy if the string contains escapes.
    func withText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let quoted = tape.range(index)
        let plain: Result? = tape.bytes.withUnsafeBytes { bytes in
            let text = UnsafeRawBufferPointer(rebasing: bytes[quoted.lowerBound + 1..<quoted.upperBound - 1])
            return text.contains(UInt8(ascii: "\\")) ? nil : body(text)
        }
        if let plain { return plain }
        var unescaped = tape.string(index)
        return unescaped.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
