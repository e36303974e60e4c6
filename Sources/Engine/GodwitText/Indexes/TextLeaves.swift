//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The uses of a field that a function emitted.
struct TextFieldUse: OptionSet {
    let rawValue: Int

    /// The field's words are searched.
    static let words = TextFieldUse(rawValue: 1)
    /// The field's values are returned with hits.
    static let stored = TextFieldUse(rawValue: 2)
    /// The field's values are counted.
    static let facets = TextFieldUse(rawValue: 4)
}

/// The strings, numbers and Booleans of a document with the paths of their fields, in the order of the text.
///
/// Instead of a document, the input can be a list of `[name, value, use]` (``TextFieldUse``) that a function emitted,
/// with an optional boost in each element.
///
/// The iterator uses an explicit stack instead of recursion, because documents can be nested up to ten thousand levels.
struct TextLeaves: Sequence, IteratorProtocol {
    private let tape: JSONTape
    private var openContainers: [Container]

    private enum Container {
        case object(JSONTape.Members, path: String)
        case array(JSONTape.Elements, path: String)
        case given(JSONTape.Elements, TextFieldUse)
    }

    /// - Parameter use: The uses that a field of a function must have. A document's fields have every use.
    init(of tape: JSONTape, for use: TextFieldUse = []) {
        self.tape = tape
        let isEmitted = tape.kind(0) == .array
        openContainers = [isEmitted ? .given(tape.elements(of: 0), use) : .object(tape.members(of: 0), path: "")]
    }

    mutating func next() -> (path: String, value: Int)? {
        while let (value, path) = nextValue() {
            switch tape.kind(value) {
            case .object: openContainers.append(.object(tape.members(of: value), path: path))
            case .array: openContainers.append(.array(tape.elements(of: value), path: path))
            case .null: continue
            case .true, .false, .integer, .double, .string: return (path, value)
            }
        }
        return nil
    }

    private mutating func nextValue() -> (Int, String)? {
        while let top = openContainers.popLast() {
            switch top {
            case .object(var members, let path):
                guard let member = members.next() else { continue }
                openContainers.append(.object(members, path: path))
                return (member.value, TextPath.appending(tape.string(member.key), to: path))
            case .array(var elements, let path):
                guard let element = elements.next() else { continue }
                openContainers.append(.array(elements, path: path))
                return (element, path)
            case .given(var fields, let use):
                guard let field = fields.next() else { continue }
                openContainers.append(.given(fields, use))
                if let (name, value) = emittedField(field, use) { return (value, TextPath.normalized(name)) }
            }
        }
        return nil
    }

    /// Returns the name and the value of a field that a function emitted; `nil` when the field does not have the uses.
    private func emittedField(_ field: Int, _ use: TextFieldUse) -> (name: String, value: Int)? {
        var parts = tape.elements(of: field)
        guard let name = parts.next(), let value = parts.next(), let uses = parts.next().flatMap(tape.double),
            TextFieldUse(rawValue: Int(exactly: uses) ?? 0).isSuperset(of: use)
        else { return nil }
        return (tape.string(name), value)
    }
}
