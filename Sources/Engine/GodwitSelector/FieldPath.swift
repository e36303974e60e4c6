//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON

/// The dotted path of a field, such as `address.city` or `versions\.json.0`.
///
/// A period after a backslash does not separate steps. After the path was split, all backslashes are removed, so a path
/// cannot address a name that contains a backslash (`mango_util:parse_field`). A step into an array is the index of an
/// element.
package struct FieldPath: Hashable, Sendable {
    /// The path in its original notation; empty for the value itself.
    package let text: String
    /// The names of the steps.
    package let steps: [String]
    /// Whether no step is empty.
    package let isValid: Bool

    /// Parses a path.
    package init(_ text: String) {
        self.text = text
        guard !text.isEmpty else {
            (steps, isValid) = ([], true)
            return
        }
        guard text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "\\") }) else {
            (steps, isValid) = ([text], true)
            return
        }
        let parts = Self.splitSteps(text)
        isValid = !parts.contains([])
        steps = parts.map { String(decoding: $0.filter { $0 != UInt8(ascii: "\\") }, as: UTF8.self) }
    }

    package static func == (left: FieldPath, right: FieldPath) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(ExactText(text)) }

    /// Returns the path of a field below this path.
    func appending(_ name: String) -> FieldPath {
        FieldPath(text + "." + name)
    }

    private static func splitSteps(_ text: String) -> [[UInt8]] {
        var parts: [[UInt8]] = [[]]
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "."), previous != UInt8(ascii: "\\") {
                parts.append([])
            } else {
                parts[parts.count - 1].append(byte)
            }
            previous = byte
        }
        return parts
    }
}

extension FieldPath {
    /// The result of following a path.
    package enum Target<Node> {
        case found(Node)
        /// An object does not contain the next step.
        case missing
        /// A step leads into a value that is not a container, or to an array element that does not exist.
        case unreachable
    }

    /// Follows the path from the root of a scanned text.
    ///
    /// - Returns: The target. If a value is found, the target contains the value's index in the tape.
    package func target(in tape: JSONTape) -> Target<Int> {
        switch target(in: TapeNode(tape: tape, index: 0)) {
        case .found(let node): .found(node.index)
        case .missing: .missing
        case .unreachable: .unreachable
        }
    }

    /// Follows the path from a value (`mango_doc:get_field`).
    ///
    /// - Parameters:
    ///   - root: The value.
    ///   - meter: Counts the work.
    func target<Node: JSONNode>(in root: Node, _ meter: WorkMeter? = nil) -> Target<Node> {
        var node = root
        for step in steps {
            switch node.kind {
            case .object:
                meter?.spend(node.memberCount)
                guard let member = node.member(step) else { return .missing }
                node = member
            case .array:
                guard let index = Int(step) else { return .unreachable }
                meter?.spend(min(max(0, index), node.elementCount))
                guard let element = node.element(at: index) else { return .unreachable }
                node = element
            default:
                return .unreachable
            }
        }
        return .found(node)
    }
}
