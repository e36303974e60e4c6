//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitSelector
import GodwitStore
import GodwitThreads

/// The filter of a changes feed.
enum ChangesFilter: Sendable {
    case everything
    case ids(Set<String>)
    case designs
    /// The documents that match a selector, with a projection of their members.
    case selector(Selector, fields: Projection?)
    case function(any ChangeFilter)

    /// Parses a request's filter.
    ///
    /// - Parameters:
    ///   - body: The body of a POST; `nil` for a GET.
    ///   - function: Finds the filter function with a name.
    /// - Throws: ``HTTPFailure`` with status 400 for invalid parameters; errors of `function`.
    init(
        _ target: RequestTarget, body: JSONValue?, function: (_ name: String) async throws -> any ChangeFilter
    ) async throws {
        switch target.value("filter") {
        case nil: self = .everything
        case "_doc_ids": self = .ids(try ChangesFilter.ids(target, body: body))
        case "_design": self = .designs
        case "_selector":
            guard let value = body?.objectValue?["selector"] else {
                throw HTTPFailure.badRequest("Selector must be specified in POST payload")
            }
            let fields = try FindRequest.fields(body?.objectValue?["fields"]).map { Projection($0) }
            do {
                self = .selector(try Selector(parsing: value), fields: fields)
            } catch {
                throw HTTPFailure.badRequest(error.reason)
            }
        case let name?: self = .function(try await function(name))
        }
    }

    private static func ids(_ target: RequestTarget, body: JSONValue?) throws(HTTPFailure) -> Set<String> {
        let list: JSONValue?
        if let given = body?.objectValue?["doc_ids"] { list = given } else { list = try target.json("doc_ids") }
        guard let items = list?.arrayValue, case let ids = items.compactMap(\.stringValue), ids.count == items.count
        else { throw .badRequest("`doc_ids` filter parameter is not a list of doc ids.") }
        return Set(ids)
    }

    /// Returns a row with the leaves that a feed shows. The list of leaves is empty when the filter excludes the row. A
    /// function filter is not applied here: it filters slices.
    ///
    /// - Parameters:
    ///   - allLeaves: Whether the feed shows losing leaves too.
    ///   - meter: Counts the work.
    func shown(_ row: DocumentRow, allLeaves: Bool, _ meter: WorkMeter? = nil) throws -> FilteredRow {
        FilteredRow(row: row, leaves: try !shows(row, meter) ? [] : allLeaves ? row.leaves : [row.winner])
    }

    private func shows(_ row: DocumentRow, _ meter: WorkMeter?) throws -> Bool {
        switch self {
        case .everything, .function: return true
        case .ids(let ids): return ids.contains(row.id)
        case .designs: return DocumentID.isDesign(row.id)
        case .selector(let selector, _):
            meter?.spend(readingBytes: row.body.count)
            let text = StoredRevision(winnerOf: row).documentText
            return try selector.matches(try JSONTape(scanning: text), id: row.id, meter)
        }
    }

    /// Whether filtering a document may take long.
    var isCostly: Bool { if case .selector = self { true } else { false } }

    /// The members of a document that the feed shows; `nil` for complete documents.
    var fields: Projection? { if case .selector(_, let fields) = self { fields } else { nil } }

    /// The part of a row that the filter reads.
    var detail: RowDetail {
        switch self {
        case .selector, .function: .bodies
        default: .leaves
        }
    }
}
