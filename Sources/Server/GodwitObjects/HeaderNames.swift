//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
import HTTPTypes

extension HTTPFields {
    /// Returns the headers whose names begin with a prefix, with their names in lower case and without the prefix.
    func withPrefix(_ prefix: String) -> [String: String] {
        var found: [String: String] = [:]
        for field in self where field.name.canonicalName.begins(with: prefix) {
            let name = String(field.name.canonicalName.dropFirst(prefix.count))
            found[name] = found[name].map { "\($0),\(field.value)" } ?? field.value
        }
        return found
    }

    /// Sets a header whose name is a text. Does nothing if HTTP forbids the name or the value.
    mutating func set(_ name: String, _ value: String) {
        guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else { return }
        self[name] = value
    }
}

extension ServerRequest {
    /// Returns the value of a header; `nil` when it is missing.
    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { header($0) } }

    /// Returns the value of a parameter of the query; `nil` when it is missing.
    func query(_ name: String) -> String? { target.query.first { $0.name.isIdenticalText(to: name) }?.value }

    /// Whether the query has a parameter, with or without a value.
    func hasQuery(_ name: String) -> Bool { target.query.contains { $0.name.isIdenticalText(to: name) } }

    /// The declared length of the body; `nil` if the client declared none.
    var contentLength: Int? { header(.contentLength).map { Int($0) ?? .max } }
}
