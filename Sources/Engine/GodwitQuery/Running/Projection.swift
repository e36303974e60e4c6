//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON
import GodwitSelector

/// The members of a document that a query returns.
package struct Projection: Sendable {
    private let paths: [FieldPath]

    /// The paths in their original notation.
    var names: Set<ExactText> { Set(paths.map { ExactText($0.text) }) }

    /// Creates a projection to the members at these paths. The path of a member of an inner object is dotted.
    package init(_ fields: [String]) { paths = fields.map { FieldPath($0) } }

    /// Whether all paths are members of the document itself.
    private var isFlat: Bool { paths.allSatisfy { $0.steps.count == 1 } }

    /// Returns the document's JSON with these members only.
    package func text(of tape: JSONTape) throws -> [UInt8] {
        guard isFlat else { return try object(of: tape).jsonBytes() }
        var text: [UInt8] = [UInt8(ascii: "{")]
        // Names are compared by their bytes: two members may be canonically equal.
        var seen: Set<ExactText> = []
        for path in paths where seen.insert(ExactText(path.steps[0])).inserted {
            guard case .found(let index) = path.target(in: tape) else { continue }
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            JSONWriter.appendQuoted(path.steps[0], to: &text)
            text.append(UInt8(ascii: ":"))
            text += tape.slice(index)
        }
        text.append(UInt8(ascii: "}"))
        return text
    }

    private func object(of tape: JSONTape) throws -> JSONValue {
        var object = JSONObject()
        for path in paths {
            guard case .found(let index) = path.target(in: tape) else { continue }
            object.set(path.steps[...], to: try tape.value(index))
        }
        return .object(object)
    }
}

extension JSONObject {
    /// Sets an inner member, and creates the objects on its path.
    mutating func set(_ steps: ArraySlice<String>, to value: JSONValue) {
        guard let name = steps.first else { return }
        guard steps.count > 1 else {
            self[name] = value
            return
        }
        var inner = self[name]?.objectValue ?? [:]
        inner.set(steps.dropFirst(), to: value)
        self[name] = .object(inner)
    }
}
