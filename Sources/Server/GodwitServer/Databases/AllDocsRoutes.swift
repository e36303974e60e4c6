//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// The routes of document lists: all documents, design documents, documents of a partition, and local documents.
struct AllDocsRoutes {
    let server: ServerContext

    var routes: [Route] {
        let lists: [(String, Handler)] = [
            ("/{db}/_all_docs", listDocuments), ("/{db}/_design_docs", listDesigns), ("/{db}/_local_docs", listLocals),
            ("/{db}/_partition/{partition}/_all_docs", listDocuments),
        ]
        let queries: [(String, Handler)] = [
            ("/{db}/_all_docs/queries", answerQueries(within: .everything)),
            ("/{db}/_design_docs/queries", answerQueries(within: .designs)),
            ("/{db}/_local_docs/queries", answerLocalQueries),
        ]
        return lists.flatMap { path, handler in
            [HTTPRequest.Method.get, .post].map { Route($0, path, access: .database(.read), handler: handler) }
        } + queries.map { Route(.post, $0.0, access: .database(.read), handler: $0.1) }
    }

    // MARK: One list

    @Sendable private func listDesigns(_ context: RequestContext) async throws {
        try await list(context, within: .designs)
    }

    @Sendable private func listDocuments(_ context: RequestContext) async throws {
        let partition = try await context.datastore().partition(of: context.request)
        try await list(context, within: partition.map { .partition($0) } ?? .everything)
    }

    private func list(_ context: RequestContext, within area: ListedArea) async throws {
        let datastore = try await context.datastore()
        let query = try await query(context.request, datastore)
        try await AllDocsWriter.write(query, of: area, in: datastore, to: context.response)
    }

    private func query(_ request: ServerRequest, _ datastore: Datastore) async throws -> AllDocsQuery {
        guard request.head.method == .post else { return try AllDocsQuery(request.target) }
        let body = try await request.collectValue(limits: server.limits, depthMax: datastore.limits.depthMax)
        return try AllDocsQuery(request.target, body: body)
    }

    // MARK: Several lists

    private func answerQueries(within area: ListedArea) -> Handler {
        { [server] context in
            let datastore = try await context.datastore()
            let body = try await context.request.collectValue(
                limits: server.limits, depthMax: datastore.limits.depthMax)
            let queries = try AllDocsQuery.several(body, context.request.target)
            try await AllDocsWriter.write(queries, of: area, in: datastore, to: context.response)
        }
    }

    // MARK: Local documents

    @Sendable private func listLocals(_ context: RequestContext) async throws {
        let response = context.response
        let datastore = try await context.datastore()
        let query = try await query(context.request, datastore)
        try await response.begin(contentType: "application/json")
        try await write(query, of: datastore, to: response)
        try await response.write("\n")
        try await response.finish()
    }

    @Sendable private func answerLocalQueries(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        let body = try await context.request.collectValue(limits: server.limits, depthMax: datastore.limits.depthMax)
        try await context.response.writeResults(of: try AllDocsQuery.several(body, context.request.target)) { query in
            try await write(query, of: datastore, to: context.response)
        }
    }

    /// Writes the result of one query. The result is an object that contains the list of local documents.
    private func write(_ query: AllDocsQuery, of datastore: Datastore, to response: ServerResponse) async throws {
        let sequence = query.updateSequence ? "\"update_seq\":null," : ""
        try await response.write("{\"total_rows\":null,\"offset\":null,\(sequence)\"rows\":[\n")
        var scan = LocalScan(query)
        var isFirst = true
        while let slice = try datastore.read({ try scan.next(from: $0) }) {
            for row in slice {
                if !isFirst { try await response.write(",\n") }
                isFirst = false
                switch row {
                case .found(let document):
                    try await response.write(LocalRoutes.row(document, withDocument: query.includesDocuments))
                case .missing(let key):
                    try await response.write((["key": .string(key), "error": "not_found"] as JSONValue).jsonBytes())
                }
            }
        }
        try await response.write("\n]}")
    }
}

/// Reads local documents slice by slice, by range or by keys.
private struct LocalScan {
    private var query: AllDocsQuery
    private var isAtEnd = false
    private var nextKey = 0

    init(_ query: AllDocsQuery) {
        self.query = query
        for bound in [\IDRange.lower, \.upper] {
            self.query.range[keyPath: bound] = query.range[keyPath: bound].map(LocalScan.withoutPrefix)
        }
    }

    /// Removes the prefix `_local/` from an id.
    private static func withoutPrefix(_ id: String) -> String {
        id.utf8.starts(with: "_local/".utf8) ? String(id.utf8.dropFirst("_local/".utf8.count)) ?? id : id
    }

    enum Row {
        case found(LocalDocument)
        /// A key whose document does not exist.
        case missing(String)
    }

    mutating func next(from table: DocumentTable) throws -> [Row]? {
        guard !isAtEnd, query.limit > 0 else { return nil }
        if let keys = query.keys { return try next(of: keys, from: table) }
        let slice = try table.locals(in: query.range, descending: query.descending)
        isAtEnd = slice.isEmpty
        guard let last = slice.last else { return nil }
        query.range.goOn(after: last.id, descending: query.descending)
        let rows = slice.dropFirst(query.skip).prefix(query.limit)
        query.skip = max(0, query.skip - slice.count)
        query.limit -= rows.count
        return rows.map { .found($0) }
    }

    /// Reads the documents that the next keys name, up to the size of a slice. As in CouchDB, a key without the prefix
    /// `_local/` has no row.
    ///
    /// - Returns: The next rows; `nil` after the last row.
    private mutating func next(of keys: [JSONValue], from table: DocumentTable) throws -> [Row]? {
        var (rows, bytes): ([Row], Int) = ([], 0)
        while nextKey < keys.count, rows.count < query.limit, bytes < StoreLimits().sliceBytesMax {
            defer { nextKey += 1 }
            guard let key = keys[nextKey].stringValue, case let id = LocalScan.withoutPrefix(key),
                !id.isIdenticalText(to: key)
            else {
                continue
            }
            guard query.skip == 0 else {
                query.skip -= 1
                continue
            }
            let document = try table.local(id: id)
            bytes += document?.body.count ?? key.utf8.count
            rows.append(document.map { .found($0) } ?? .missing(key))
        }
        query.limit -= rows.count
        isAtEnd = nextKey == keys.count
        return rows.isEmpty ? nil : rows
    }
}
