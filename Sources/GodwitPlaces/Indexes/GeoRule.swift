//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitJSON
package import GodwitSelector

/// Where a document's geometries stand, and which documents have any.
///
/// This is what a declared index says, and what the usual functions of design documents come to, so that they need no
/// JavaScript.
package struct GeoRule: Sendable, Hashable {
    /// What a document must be to be in the index.
    package struct Condition: Sendable, Hashable {
        /// A value's place.
        let path: FieldPath
        /// The text that it must be, as JavaScript compares it with `==` or `===`; `nil` where it must be anything but
        /// nothing: no `null`, `false`, 0 or empty text.
        let text: String?
        /// Whether a list of one text is that text, as `==` has it.
        let isLoose: Bool
    }

    /// Where the geometry stands.
    package let path: FieldPath
    package let conditions: [Condition]
    /// Whether there may be a list of geometries in the place of one.
    package let takesLists: Bool

    init(path: FieldPath, conditions: [Condition], takesLists: Bool) {
        self.path = path
        self.conditions = conditions
        self.takesLists = takesLists
    }

    /// A declared path; `nil` for one that leads nowhere.
    package init?(path text: String) {
        let path = FieldPath(text)
        guard !text.isEmpty, path.isValid else { return nil }
        self.init(path: path, conditions: [], takesLists: true)
    }

    /// Whether it is a path alone, and not what a function says.
    package var isDeclared: Bool { takesLists && conditions.isEmpty }

    // MARK: Documents

    /// Whether a document may be in the index.
    func matches(_ tape: JSONTape) -> Bool { conditions.allSatisfy { $0.holds(in: tape) } }

    // MARK: JSON

    /// The rule as JSON.
    var json: JSONObject {
        var members: JSONObject = ["path": .string(path.text), "lists": .bool(takesLists)]
        members["when"] = .array(
            conditions.map { condition in
                var parts: JSONObject = ["path": .string(condition.path.text), "loose": .bool(condition.isLoose)]
                parts["text"] = condition.text.map { .string($0) }
                return .object(parts)
            })
        return members
    }

    /// Reads what ``json`` wrote.
    init(_ members: JSONValue) {
        path = FieldPath(members["path"]?.stringValue ?? "")
        takesLists = members["lists"]?.boolValue ?? false
        conditions = (members["when"]?.arrayValue ?? []).map { parts in
            Condition(
                path: FieldPath(parts["path"]?.stringValue ?? ""), text: parts["text"]?.stringValue,
                isLoose: parts["loose"]?.boolValue ?? false)
        }
    }
}

extension GeoRule.Condition {
    fileprivate func holds(in tape: JSONTape) -> Bool {
        guard case .found(let index) = path.target(in: tape) else { return false }
        return text.map { equals($0, tape, index) } ?? Self.isSomething(tape, index)
    }

    private func equals(_ text: String, _ tape: JSONTape, _ index: Int) -> Bool {
        switch tape.kind(index) {
        case .string: tape.string(index).utf8.elementsEqual(text.utf8)
        case .array where isLoose && tape.count(of: index) == 1:
            tape.elements(of: index).contains { equals(text, tape, $0) }
        default: false
        }
    }

    private static func isSomething(_ tape: JSONTape, _ index: Int) -> Bool {
        switch tape.kind(index) {
        case .null, .false: false
        case .integer, .double: tape.double(index) != 0
        case .string: !tape.string(index).isEmpty
        case .true, .array, .object: true
        }
    }
}
