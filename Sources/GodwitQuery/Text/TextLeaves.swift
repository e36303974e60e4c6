//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The strings, numbers and truth values of a document with the paths of their fields, in the order of the text.
///
/// The way down is kept on a stack of its own: documents are nested up to ten thousand levels.
struct TextLeaves: Sequence, IteratorProtocol {
    private let tape: JSONTape
    private var open: [Container]

    private enum Container {
        case object(JSONTape.Members, path: String)
        case array(JSONTape.Elements, path: String)
    }

    init(of tape: JSONTape) {
        self.tape = tape
        open = [.object(tape.members(of: 0), path: "")]
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
            }
        }
        return nil
    }
}
