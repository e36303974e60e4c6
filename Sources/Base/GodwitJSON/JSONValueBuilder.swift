//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Builds a ``JSONValue`` from a tape, without recursion.
///
/// The builder iterates over the entries backwards. When it reaches a container, all children of the container are
/// already built. They are on the top of the stack, and the first child is uppermost.
struct JSONValueBuilder {
    let tape: JSONTape
    /// The maximum number of values for which capacity is reserved in advance.
    private static let reservedMax = 32

    private var values: [JSONValue] = []
    private var names: [String] = []

    init(tape: JSONTape) {
        self.tape = tape
    }

    /// Builds the value at an index.
    mutating func build(_ root: Int) -> JSONValue {
        var index = Int(tape.entries[root].next)
        values.reserveCapacity(min(index - root, Self.reservedMax))
        names.reserveCapacity(min(index - root, Self.reservedMax) / 2)
        while index > root {
            index -= 1
            let entry = tape.entries[index]
            if entry.isName, index > root {
                names.append(tape.string(index))
            } else {
                values.append(value(of: entry, at: index))
            }
        }
        return values.removeLast()
    }

    private mutating func value(of entry: JSONTapeEntry, at index: Int) -> JSONValue {
        switch entry.kind {
        case .null: .null
        case .true: .bool(true)
        case .false: .bool(false)
        case .integer: integer(index)
        case .double: .double(tape.double(index) ?? 0)
        case .string: .string(tape.string(index))
        case .array: .array(popElements(tape.count(of: index)))
        case .object: .object(popObject(index))
        }
    }

    private func integer(_ index: Int) -> JSONValue {
        if let value = tape.bytes.withUnsafeBytes({ JSONInteger.parse($0[tape.range(index)]) }) {
            return .integer(value)
        }
        return .bigInteger(String(decoding: tape.slice(index), as: UTF8.self))
    }

    private mutating func popElements(_ count: Int) -> [JSONValue] {
        var elements: [JSONValue] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(values.removeLast()) }
        return elements
    }

    private mutating func popObject(_ index: Int) -> JSONObject {
        let count = tape.count(of: index)
        var members: [JSONObject.Element] = []
        members.reserveCapacity(count)
        for _ in 0..<count {
            members.append((key: names.removeLast(), value: values.removeLast()))
        }
        return JSONObject(members: members, mayHoldDuplicates: tape.hasOwnDuplicates(index))
    }
}
