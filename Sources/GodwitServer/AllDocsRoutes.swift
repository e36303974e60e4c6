//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// The list of all documents.
struct AllDocsRoutes {
    let context: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/{db}/_all_docs", handler: list),
            Route(.post, "/{db}/_all_docs", handler: list),
        ]
    }

    @Sendable private func list(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let datastore = try await context.datastore(request)
        var query = try AllDocsQuery(request.target)
        if request.head.method == .post {
            let tape = try await request.collectJSON(limits: context.limits, depthMax: datastore.limits.depthMax)
            try query.read(try tape.value(0))
        }
        let writer = AllDocsWriter(datastore: datastore, query: query, response: response)
        if let keys = query.keys {
            try await writer.writeKeys(keys)
        } else {
            try await writer.writeRange()
        }
    }
}

/// The parameters of `_all_docs`.
struct AllDocsQuery {
    var range = IDRange()
    var keys: [String]?
    var descending = false
    var includesDocuments = false
    var conflicts = false
    var attachments = false
    var updateSequence = false
    var limit = Int.max
    var skip = 0

    init(_ target: RequestTarget) throws(HTTPFailure) {
        descending = try target.flag("descending")
        includesDocuments = try target.flag("include_docs")
        conflicts = try target.flag("conflicts")
        attachments = try target.flag("attachments")
        updateSequence = try target.flag("update_seq")
        limit = try target.count("limit") ?? .max
        skip = try target.count("skip") ?? 0
        let inclusive = target.value("inclusive_end") != "false"
        try apply(
            start: target.json("startkey", "start_key"), end: target.json("endkey", "end_key"),
            key: target.json("key"), inclusive: inclusive)
        if let list = try target.json("keys") { try setKeys(list) }
    }

    /// Reads the body of a POST, whose members say more than the query.
    mutating func read(_ body: JSONValue) throws(HTTPFailure) {
        guard let object = body.objectValue else { throw .badRequest("Request body must be a JSON object") }
        descending = object["descending"]?.boolValue ?? descending
        includesDocuments = object["include_docs"]?.boolValue ?? includesDocuments
        conflicts = object["conflicts"]?.boolValue ?? conflicts
        attachments = object["attachments"]?.boolValue ?? attachments
        updateSequence = object["update_seq"]?.boolValue ?? updateSequence
        limit = object["limit"]?.intValue ?? limit
        skip = object["skip"]?.intValue ?? skip
        try apply(
            start: object["startkey"] ?? object["start_key"], end: object["endkey"] ?? object["end_key"],
            key: object["key"], inclusive: object["inclusive_end"]?.boolValue ?? true)
        if let list = object["keys"] { try setKeys(list) }
    }

    private mutating func setKeys(_ list: JSONValue) throws(HTTPFailure) {
        guard let items = list.arrayValue else { throw .badRequest("`keys` member must be an array.") }
        keys = try items.map { item throws(HTTPFailure) in
            guard let key = item.stringValue else { throw .badRequest("`keys` member must hold strings.") }
            return key
        }
    }

    private mutating func apply(
        start: JSONValue?, end: JSONValue?, key: JSONValue?, inclusive: Bool
    ) throws(HTTPFailure) {
        if let key {
            range = IDRange(lower: key.stringValue ?? "", upper: key.stringValue ?? "")
            return
        }
        let first = start.map(Bound.init)
        let last = end.map(Bound.init)
        let (lower, upper) = descending ? (last, first) : (first, last)
        if let lower { range.lower = lower.id(asLower: true) }
        if let upper { range.upper = upper.id(asLower: false) }
        if end != nil, !inclusive {
            if descending { range.lowerIsIncluded = false } else { range.upperIsIncluded = false }
        }
    }

    /// A key of any type as a bound of ids: ids are strings, which all numbers precede and all lists and objects follow.
    private struct Bound {
        let value: JSONValue

        func id(asLower: Bool) -> String? {
            switch value {
            case .string(let id): id
            case .array, .object: asLower ? "\u{10FFFF}\u{10FFFF}" : nil
            default: ""
            }
        }
    }
}

/// Writes the rows of `_all_docs` as they are read.
struct AllDocsWriter {
    let datastore: Datastore
    let query: AllDocsQuery
    let response: ServerResponse

    /// The live documents of a range of ids.
    func writeRange() async throws {
        // CouchDB counts the documents before a start key from its tree; counting them here would cost a scan.
        let offset = query.range.lower == nil && query.range.upper == nil ? "\(query.skip)" : "null"
        try await begin(offset: offset)
        var scan = Scan(range: query.range, skip: query.skip, left: query.limit)
        var isFirst = true
        while scan.left > 0, !scan.isAtEnd {
            let text = try datastore.read { table in try rows(&scan, from: table, isFirst: &isFirst) }
            try await response.write(text)
        }
        try await end()
    }

    /// Named documents, deleted and missing ones too, in the order of the keys.
    func writeKeys(_ keys: [String]) async throws {
        try await begin(offset: "null")
        let wanted = (query.descending ? keys.reversed() : keys).dropFirst(query.skip).prefix(query.limit)
        var isFirst = true
        for key in wanted {
            let text = try datastore.read { table in
                var text = separator(&isFirst)
                try appendRow(key: key, from: table, to: &text)
                return text
            }
            try await response.write(text)
        }
        try await end()
    }

    private func begin(offset: String) async throws {
        try await response.begin(contentType: "application/json")
        var head = "{\"total_rows\":\(try datastore.documentCount),\"offset\":\(offset),\"rows\":[\n"
        if query.updateSequence { head = "{\"update_seq\":\"\(datastore.updateSequence)\"," + head.dropFirst() }
        try await response.write(head.utf8)
    }

    private func end() async throws {
        try await response.write("\n]}\n".utf8)
        try await response.finish()
    }

    private struct Scan {
        var range: IDRange
        var skip: Int
        var left: Int
        var isAtEnd = false
    }

    private func rows(_ scan: inout Scan, from table: DocumentTable, isFirst: inout Bool) throws -> [UInt8] {
        let wanted = scan.left.addingReportingOverflow(scan.skip)
        let slice = try table.documents(
            in: scan.range, descending: query.descending, detail: query.includesDocuments ? .bodies : .leaves,
            rowsMax: min(datastore.limits.sliceRowsMax, wanted.overflow ? .max : wanted.partialValue),
            bytesMax: datastore.limits.sliceBytesMax)
        var text: [UInt8] = []
        for row in slice.rows.dropFirst(scan.skip).prefix(scan.left) {
            text += separator(&isFirst)
            try append(row, key: row.id, from: table, to: &text)
            scan.left -= 1
        }
        scan.skip = max(0, scan.skip - slice.rows.count)
        scan.isAtEnd = !slice.hasMore
        if let last = slice.rows.last { scan.range.goOn(after: last.id, descending: query.descending) }
        return text
    }

    private func separator(_ isFirst: inout Bool) -> [UInt8] {
        defer { isFirst = false }
        return isFirst ? [] : Array(",\n".utf8)
    }

    private func appendRow(key: String, from table: DocumentTable, to text: inout [UInt8]) throws {
        if let row = try table.row(id: key) { return try append(row, key: key, from: table, to: &text) }
        text.append(raw: "{\"key\":")
        JSONWriter.appendQuoted(key, to: &text)
        text.append(raw: ",\"error\":\"not_found\"}")
    }

    private func append(_ row: DocumentRow, key: String, from table: DocumentTable, to text: inout [UInt8]) throws {
        text.append(raw: "{\"id\":")
        JSONWriter.appendQuoted(row.id, to: &text)
        text.append(raw: ",\"key\":")
        JSONWriter.appendQuoted(key, to: &text)
        text.append(raw: ",\"value\":{\"rev\":\"\(row.winner.revision)\"")
        text.append(raw: row.winner.isDeleted ? ",\"deleted\":true}" : "}")
        if query.includesDocuments {
            text.append(raw: ",\"doc\":")
            if row.winner.isDeleted {
                text.append(raw: "null")
            } else {
                var renderer = DocumentRenderer()
                if query.conflicts { renderer.conflicts = row.conflicts }
                if query.attachments { renderer.attachments = .inline(unlessIn: []) }
                try renderer.append(StoredRevision(winnerOf: row), from: table, to: &text)
            }
        }
        text.append(UInt8(ascii: "}"))
    }
}
