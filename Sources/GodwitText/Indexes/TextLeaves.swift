//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// What a field that a function gave is for.
struct TextFieldUse: OptionSet {
    let rawValue: Int

    /// Its words are searched.
    static let words = TextFieldUse(rawValue: 1)
    /// Its values are shown.
    static let stored = TextFieldUse(rawValue: 2)
    /// Its values are counted.
    static let facets = TextFieldUse(rawValue: 4)
}

/// The strings, numbers and truth values of a document with the paths of their fields, in the order of the text.
///
/// What a function gave in place of a document is a list of `[name, value, use]` (``TextFieldUse``), each perhaps with a boost.
///
/// The way down is kept on a stack of its own: documents are nested up to ten thousand levels.
struct TextLeaves: Sequence, IteratorProtocol {
    private let tape: JSONTape
    private var open: [Container]

    private enum Container {
        case object(JSONTape.Members, path: String)
        case array(JSONTape.Elements, path: String)
        case given(JSONTape.Elements, TextFieldUse)
    }

    /// - Parameter use: What fields that a function gave must be for; all of a document's are for everything.
    init(of tape: JSONTape, for use: TextFieldUse = []) {
        self.tape = tape
        let isGiven = tape.kind(0) == .array
        open = [isGiven ? .given(tape.elements(of: 0), use) : .object(tape.members(of: 0), path: "")]
    }

    mutating func next() -> (path: String, value: Int)? {
        while let (value, path) = nextValue() {
            switch tape.kind(value) {
            case .object: open.append(.object(tape.members(of: value), path: path))
            case .array: open.append(.array(tape.elements(of: value), path: path))
            case .null: continue
            case .true, .false, .integer, .double, .string: return (path, value)
            }
        }
        return nil
    }

    private mutating func nextValue() -> (Int, String)? {
        while let top = open.popLast() {
            switch top {
            case .object(var members, let path):
                guard let member = members.next() else { continue }
                open.append(.object(members, path: path))
                return (member.value, TextPath.appending(tape.string(member.key), to: path))
            case .array(var elements, let path):
                guard let element = elements.next() else { continue }
                open.append(.array(elements, path: path))
                return (element, path)
            case .given(var fields, let use):
                guard let field = fields.next() else { continue }
                open.append(.given(fields, use))
                if let (name, value) = given(field, use) { return (value, TextPath.normalized(name)) }
            }
        }
        return nil
    }

    /// A field that a function gave, if it is for something.
    private func given(_ field: Int, _ use: TextFieldUse) -> (name: String, value: Int)? {
        var parts = tape.elements(of: field)
        guard let name = parts.next(), let value = parts.next(), let uses = parts.next().flatMap(tape.double),
            TextFieldUse(rawValue: Int(exactly: uses) ?? 0).isSuperset(of: use)
        else { return nil }
        return (tape.string(name), value)
    }
}
