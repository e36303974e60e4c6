//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Some fields of documents, by their dotted paths.
struct SearchFields: Sendable {
    /// As they are written.
    let names: [String]
    private let paths: [String]

    init(_ names: [String]) {
        self.names = names
        paths = names.map(TextPath.normalized)
    }

    /// The strings, numbers and truth values of each field, in the order of the text.
    func values(in document: JSONTape) -> [[Int]] {
        var values: [[Int]] = names.map { _ in [] }
        guard !names.isEmpty else { return values }
        for (path, value) in TextLeaves(of: document) {
            for place in paths.indices where paths[place] == path { values[place].append(value) }
        }
        return values
    }

    /// The fields that are there with their values, several of them as a list.
    func object(of document: JSONTape) throws -> JSONObject {
        var object = JSONObject()
        for (name, values) in zip(names, values(in: document)) where !values.isEmpty {
            let values = try values.map { value throws in try document.value(value) }
            object[name] = values.count == 1 ? values[0] : .array(values)
        }
        return object
    }
}
