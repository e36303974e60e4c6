//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// A request's query parameters, read as CouchDB reads them.
extension RequestTarget {
    /// The value of a parameter; of several the last.
    public func value(_ name: String) -> String? { query.last { $0.name == name }?.value }

    /// A parameter that is on when it is `true`. As in CouchDB, any other value of those that documents and feeds have says
    /// no; parameters of views are held to two values (``ViewParameters``).
    func flag(_ name: String) -> Bool { value(name) == "true" }

    /// A parameter that is a whole number from zero; `nil` when it is not there.
    func count(_ name: String) throws(HTTPFailure) -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw .badRequest("Invalid value for \(name): \(text). It must be a whole number from zero.")
        }
        return number
    }

    /// A parameter that is JSON; `nil` when it is not there.
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

    /// A parameter that is a revision; `nil` when it is not there.
    func revision(_ name: String) throws(HTTPFailure) -> RevisionID? {
        guard let text = value(name) else { return nil }
        guard let revision = RevisionID(text) else { throw .badRequest("Invalid rev format") }
        return revision
    }

    /// A parameter that is a JSON list of revisions; `nil` when it is not there.
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
