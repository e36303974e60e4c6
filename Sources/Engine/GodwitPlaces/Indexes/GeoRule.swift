//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
package import GodwitSelector

/// The path of a document's geometries, and the conditions that a document must match to be in the index.
///
/// A rule represents a declared index, or a common function of a design document. In both cases, no JavaScript is
/// needed.
package struct GeoRule: Sendable, Hashable {
    /// A condition that a document must match to be in the index.
    package struct Condition: Sendable, Hashable {
        /// The path of a value.
        let path: FieldPath
        /// The string that the value must be equal to. `nil` if the value must be truthy: not `null`, `false`, 0 or an
        /// empty string.
        let text: String?
        /// Whether the condition was `==` in JavaScript. In this case, an array with one element also matches if its
        /// element matches. If `false`, only a string matches, as with `===`.
        let isLooseEquality: Bool
    }

    /// The path of the geometry.
    package let path: FieldPath
    /// The conditions, all of which a document must match; empty if every document is indexed.
    package let conditions: [Condition]
    /// Whether the value may be a list of geometries.
    package let acceptsArrays: Bool

    init(path: FieldPath, conditions: [Condition], acceptsArrays: Bool) {
        self.path = path
        self.conditions = conditions
        self.acceptsArrays = acceptsArrays
    }

    /// Creates the rule of a declared path; `nil` when the path is not valid.
    package init?(path text: String) {
        let path = FieldPath(text)
        guard !text.isEmpty, path.isValid else { return nil }
        self.init(path: path, conditions: [], acceptsArrays: true)
    }

    /// Whether the rule is a declared path, and not derived from a function.
    package var isDeclared: Bool { acceptsArrays && conditions.isEmpty }

    // MARK: Documents

    /// Whether a document matches all conditions.
    func matches(_ tape: JSONTape) -> Bool { conditions.allSatisfy { $0.holds(in: tape) } }

    // MARK: JSON

    /// The rule as JSON.
    var json: JSONObject {
        var members: JSONObject = ["path": .string(path.text), "lists": .bool(acceptsArrays)]
        members["when"] = .array(
            conditions.map { condition in
                var parts: JSONObject = [
                    "path": .string(condition.path.text), "loose": .bool(condition.isLooseEquality),
                ]
                parts["text"] = condition.text.map { .string($0) }
                return .object(parts)
            })
        return members
    }

    /// Creates a rule from its ``json``.
    init(_ members: JSONValue) {
        path = FieldPath(members["path"]?.stringValue ?? "")
        acceptsArrays = members["lists"]?.boolValue ?? false
        conditions = (members["when"]?.arrayValue ?? []).map { parts in
            Condition(
                path: FieldPath(parts["path"]?.stringValue ?? ""), text: parts["text"]?.stringValue,
                isLooseEquality: parts["loose"]?.boolValue ?? false)
        }
    }
}

extension GeoRule.Condition {
    fileprivate func holds(in tape: JSONTape) -> Bool {
        guard case .found(let index) = path.target(in: tape) else { return false }
        return text.map { equals($0, tape, index) } ?? Self.isTruthy(tape, index)
    }

    private func equals(_ text: String, _ tape: JSONTape, _ index: Int) -> Bool {
        switch tape.kind(index) {
        case .string: tape.string(index).utf8.elementsEqual(text.utf8)
        case .array where isLooseEquality && tape.count(of: index) == 1:
            tape.elements(of: index).contains { equals(text, tape, $0) }
        default: false
        }
    }

    private static func isTruthy(_ tape: JSONTape, _ index: Int) -> Bool {
        switch tape.kind(index) {
        case .null, .false: false
        case .integer, .double: tape.double(index) != 0
        case .string: !tape.string(index).isEmpty
        case .true, .array, .object: true
        }
    }
}
