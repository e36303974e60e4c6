//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// Query parameters, parsed by CouchDB's rules.
extension RequestTarget {
    /// Returns the last value of a parameter; `nil` when the parameter is missing.
    public func value(_ name: String) -> String? { query.last { $0.name.isIdenticalText(to: name) }?.value }

    /// Whether a parameter has the value `true`. As in CouchDB, any other value is treated as `false`. This method is
    /// only for parameters of documents and feeds. In parameters of views, any value except `true` and `false` is an
    /// error (``ViewParameters``).
    func flag(_ name: String) -> Bool { value(name) == "true" }

    /// Returns a parameter that is a non-negative integer; `nil` when it is missing.
    func count(_ name: String) throws(HTTPFailure) -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw .badRequest("Invalid value for \(name): \(text). It must be a non-negative integer.")
        }
        return number
    }

    /// Parses the value of a parameter as JSON. The parameter may have several names. If the query contains more than
    /// one of them, the value of the first in `names` is used. Returns `nil` if the query contains none of them.
    func json(_ names: String...) throws(HTTPFailure) -> JSONValue? {
        for name in names {
            guard let text = value(name) else { continue }
            do {
                return try JSONValue(parsing: text)
            } catch {
                throw .badRequest("Invalid JSON in the parameter \(name): \(error)")
            }
        }
        return nil
    }

    /// Returns a parameter that is a revision; `nil` when it is missing.
    func revision(_ name: String) throws(HTTPFailure) -> RevisionID? {
        guard let text = value(name) else { return nil }
        guard let revision = RevisionID(text) else { throw .badRequest("Invalid rev format") }
        return revision
    }

    /// Returns a parameter that is a JSON list of revisions; `nil` when it is missing.
    func revisions(_ name: String) throws(HTTPFailure) -> [RevisionID]? {
        guard let list = try json(name) else { return nil }
        guard let items = list.arrayValue else { throw .badRequest("\(name) must be a JSON list of revisions") }
        return try items.map { item throws(HTTPFailure) in
            guard let revision = item.stringValue.flatMap({ RevisionID($0) }) else {
                throw .badRequest("Invalid rev format")
            }
            return revision
        }
    }
}

extension HTTPFailure {
    static func badQuery(_ reason: String) -> HTTPFailure {
        HTTPFailure(.badRequest, "query_parse_error", reason)
    }
}
