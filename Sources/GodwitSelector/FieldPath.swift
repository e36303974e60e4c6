//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
import GodwitThreads

/// The dotted path of a field, such as `address.city` or `versions\.json.0`.
///
/// A point after a backslash does not divide; then all backslashes go, so that no path reaches a name that holds one
/// (`mango_util:parse_field`). A step into an array is an element's place.
package struct FieldPath: Hashable, Sendable {
    /// The path as it is written; empty for the value itself.
    package let text: String
    /// The names on the way.
    package let steps: [String]
    /// Whether no step is empty.
    package let isValid: Bool

    /// Reads a path as it is written.
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
        let parts = Self.divided(text)
        isValid = !parts.contains([])
        steps = parts.map { String(decoding: $0.filter { $0 != UInt8(ascii: "\\") }, as: UTF8.self) }
    }

    /// The path of a field below this one.
    func appending(_ name: String) -> FieldPath {
        FieldPath(text + "." + name)
    }

    private static func divided(_ text: String) -> [[UInt8]] {
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
    /// What stands at the end of a path.
    package enum Target<Node> {
        case found(Node)
        /// The object that should hold the next step does not.
        case missing
        /// A step goes into a value that is no container, or to an array's element that is not there.
        case unreachable
    }

    /// Follows the path in a scanned text.
    ///
    /// - Returns: The index of the value in the tape.
    package func target(in tape: JSONTape) -> Target<Int> {
        switch target(in: TapeNode(tape: tape, index: 0)) {
        case .found(let node): .found(node.index)
        case .missing: .missing
        case .unreachable: .unreachable
        }
    }

    /// Follows the path (`mango_doc:get_field`).
    ///
    /// - Parameter meter: Counts the work.
    func target<Node: JSONNode>(in root: Node, _ meter: WorkMeter? = nil) -> Target<Node> {
        var node = root
        for step in steps {
            switch node.kind {
            case .object:
                meter?.spend(node.memberCount)
                guard let member = node.member(step) else { return .missing }
                node = member
            case .array:
                guard let position = Int(step) else { return .unreachable }
                meter?.spend(min(max(0, position), node.elementCount))
                guard let element = node.element(at: position) else { return .unreachable }
                node = element
            default:
                return .unreachable
            }
        }
        return .found(node)
    }
}
