//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// Reads the values of some fields of documents, by their dotted paths.
struct SearchFields: Sendable {
    /// The names in their original notation.
    private let names: [String]
    private let paths: [String]
    private let use: TextFieldUse

    /// - Parameters:
    ///   - names: The dotted paths of the fields.
    ///   - use: The uses that a field of a function must have.
    init(_ names: [String], for use: TextFieldUse = []) {
        self.names = names
        self.use = use
        paths = names.map(TextPath.normalized)
    }

    /// Returns the strings, numbers and Booleans of each field, in the order of the text.
    func values(in document: JSONTape) -> [[Int]] {
        var values: [[Int]] = names.map { _ in [] }
        guard !names.isEmpty else { return values }
        for (path, value) in TextLeaves(of: document, for: use) {
            for index in paths.indices where paths[index].isIdenticalText(to: path) { values[index].append(value) }
        }
        return values
    }

    /// Whether no field is selected.
    var isEmpty: Bool { names.isEmpty }

    /// Returns the existing fields with their values. Several values of a field become a list.
    func object(of document: JSONTape) throws -> JSONObject {
        var object = JSONObject()
        for (name, values) in zip(names, values(in: document)) where !values.isEmpty {
            let values = try values.map { value throws in try document.value(value) }
            object[name] = values.count == 1 ? values[0] : .array(values)
        }
        return object
    }

    /// Returns all fields that a function emitted for storage.
    static func stored(in emittedFields: JSONTape) throws -> JSONObject {
        var names: [String] = []
        for (path, _) in TextLeaves(of: emittedFields, for: .stored)
        where !names.contains(where: path.isIdenticalText) {
            names.append(path)
        }
        return try SearchFields(names, for: .stored).object(of: emittedFields)
    }
}
