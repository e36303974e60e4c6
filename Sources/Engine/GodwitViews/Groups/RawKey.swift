//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector

// The collation `raw` has the order of Erlang's terms: numbers, then the atoms false, null and true, objects, arrays,
// and strings. Strings are ordered by their bytes. The first byte of a value's key represents the type of the value.
// The byte 0x00 ends the key of an array or object, because it sorts before the first byte of every value.

/// Encodes keys of views with CouchDB's collation `raw`.
struct RawKey {
    /// The stack of open arrays and objects. It is used instead of recursion, because values can be nested too deeply
    /// for recursion.
    private var openContainers: [Container] = []

    private enum Container {
        case array(JSONTape.Elements)
        case object(JSONTape.Members)
    }

    static func append(_ tape: JSONTape, at index: Int, to key: inout [UInt8]) {
        var writer = RawKey()
        writer.appendStart(tape, index, &key)
        while let last = writer.openContainers.popLast() {
            switch last {
            case .array(var elements):
                guard let element = elements.next() else {
                    key.append(0x00)
                    continue
                }
                writer.openContainers.append(.array(elements))
                writer.appendStart(tape, element, &key)
            case .object(var members):
                guard let (name, value) = members.next() else {
                    key.append(0x00)
                    continue
                }
                writer.openContainers.append(.object(members))
                append(text: tape.string(name), to: &key)
                writer.appendStart(tape, value, &key)
            }
        }
    }

    /// Appends the key of a scalar. For an array or object, appends only the first byte of its key, and adds the array
    /// or object to the open containers.
    private mutating func appendStart(_ tape: JSONTape, _ index: Int, _ key: inout [UInt8]) {
        switch tape.kind(index) {
        case .integer, .double: CollationKey.append(tape, at: index, to: &key)
        case .false: key.append(0x21)
        case .null: key.append(0x22)
        case .true: key.append(0x23)
        case .object:
            key.append(0x30)
            openContainers.append(.object(tape.members(of: index)))
        case .array:
            key.append(0x40)
            openContainers.append(.array(tape.elements(of: index)))
        case .string: Self.append(text: tape.string(index), to: &key)
        }
    }

    private static func append(text: String, to key: inout [UInt8]) {
        key.append(0x50)
        CollationKey.append(id: text, to: &key)
    }
}

extension ViewGroup.Collation {
    /// Appends the key of a value.
    func append(_ tape: JSONTape, at index: Int, to key: inout [UInt8]) {
        switch self {
        case .unicode: CollationKey.append(tape, at: index, to: &key)
        case .raw: RawKey.append(tape, at: index, to: &key)
        }
    }
}
