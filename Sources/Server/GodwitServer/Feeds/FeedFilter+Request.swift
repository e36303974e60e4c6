//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitSelector
import GodwitStore

extension FeedFilter {
    /// Parses a request's filter.
    ///
    /// - Parameters:
    ///   - body: The request's body; `nil` if the request has no body.
    ///   - function: A closure that returns the filter function with a name.
    /// - Throws: ``HTTPFailure`` with status 400 for invalid parameters; errors of `function`.
    init(
        _ target: RequestTarget, body: JSONValue?, function: (_ name: String) async throws -> any ChangeFilter
    ) async throws {
        switch target.value("filter") {
        case nil, "": self = .everything
        case "_doc_ids": self = .ids(try FeedFilter.ids(target, body: body))
        case "_design": self = .designs
        case "_selector":
            guard let body else { throw HTTPFailure.badRequest("Selector must be specified in POST payload") }
            guard let value = body.objectValue?["selector"], value.objectValue != nil else {
                throw HTTPFailure.badRequest("Selector error: expected a JSON object")
            }
            do {
                self = .selector(try Selector(parsing: value))
            } catch {
                throw HTTPFailure.badRequest(error.reason)
            }
        case let name?: self = .function(try await function(name))
        }
    }

    private static func ids(_ target: RequestTarget, body: JSONValue?) throws(HTTPFailure) -> Set<ExactText> {
        let idList: JSONValue?
        if let bodyIDs = body?.objectValue?["doc_ids"] { idList = bodyIDs } else { idList = try target.json("doc_ids") }
        guard let items = idList?.arrayValue, case let ids = items.compactMap(\.stringValue), ids.count == items.count
        else { throw .badRequest("`doc_ids` filter parameter is not a list of doc ids.") }
        return Set(ids.map(ExactText.init))
    }
}
