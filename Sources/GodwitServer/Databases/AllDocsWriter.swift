//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// Writes the rows of `_all_docs` as they are read.
struct AllDocsWriter {
    let datastore: Datastore
    let area: ListedArea
    let query: AllDocsQuery
    let response: ServerResponse

    /// Answers one query.
    static func write(
        _ query: AllDocsQuery, of area: ListedArea, in datastore: Datastore, to response: ServerResponse
    ) async throws {
        try await response.begin(contentType: "application/json")
        try await AllDocsWriter(datastore: datastore, area: area, query: query, response: response).write()
        try await response.write("\n")
        try await response.finish()
    }

    /// Answers several queries.
    static func write(
        _ queries: [AllDocsQuery], of area: ListedArea, in datastore: Datastore, to response: ServerResponse
    ) async throws {
        try await response.begin(contentType: "application/json")
        var separator = "{\"results\":[\n"
        for query in queries {
            try await response.write(separator)
            try await AllDocsWriter(datastore: datastore, area: area, query: query, response: response).write()
            separator = ",\n"
        }
        try await response.write(queries.isEmpty ? separator : "")
        try await response.write("\n]}\n")
        try await response.finish()
    }

    /// Writes the list as one object.
    private func write() async throws {
        if let keys = query.keys { try await writeKeys(keys) } else { try await writeRange() }
    }

    /// The live documents of a range of ids.
    private func writeRange() async throws {
        // CouchDB counts the documents before a start key from its tree; counting them here would cost a scan.
        let offset = query.range.lower == nil && query.range.upper == nil ? "\(query.skip)" : "null"
        try await begin(offset: offset)
        var scan = Scan(range: area.clamp(query.range), skip: query.skip, left: query.limit)
        var isFirst = true
        while scan.left > 0, !scan.isAtEnd {
            try await response.write(
                try datastore.pinned(try datastore.read { try rows(&scan, from: $0, isFirst: &isFirst) }))
        }
        try await response.write("\n]}")
    }

    /// Named documents, deleted and missing ones too, in the order of the keys.
    private func writeKeys(_ keys: [String]) async throws {
        try await begin(offset: "null")
        let wanted = (query.descending ? keys.reversed() : keys).dropFirst(query.skip).prefix(query.limit)
        var isFirst = true
        for key in wanted {
            try await response.write(
                try datastore.pinned(
                    try datastore.read { table in
                        var text = DocumentText(separator(&isFirst))
                        try appendRow(key: key, from: table, to: &text)
                        return text
                    }))
        }
        try await response.write("\n]}")
    }

    private func begin(offset: String) async throws {
        let total = try area.count(in: datastore)
        var head = "{\"total_rows\":\(total),\"offset\":\(offset),\"rows\":[\n"
        if query.updateSequence { head = "{\"update_seq\":\"\(datastore.updateSequence)\"," + head.dropFirst() }
        try await response.write(head)
    }

    private struct Scan {
        var range: IDRange
        var skip: Int
        var left: Int
        var isAtEnd = false
    }

    private func rows(_ scan: inout Scan, from table: DocumentTable, isFirst: inout Bool) throws -> DocumentText {
        let wanted = scan.left.addingReportingOverflow(scan.skip)
        let slice = try table.documents(
            in: scan.range, descending: query.descending, detail: query.includesDocuments ? .bodies : .leaves,
            rowsMax: min(datastore.limits.sliceRowsMax, wanted.overflow ? .max : wanted.partialValue),
            bytesMax: response.sliceBytes)
        var text = DocumentText()
        for row in slice.rows.dropFirst(scan.skip).prefix(scan.left) {
            text += separator(&isFirst)
            append(row, key: row.id, to: &text)
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

    private func appendRow(key: String, from table: DocumentTable, to text: inout DocumentText) throws {
        if area.contains(key), let row = try table.row(id: key) {
            return append(row, key: key, to: &text)
        }
        text.append(raw: "{\"key\":")
        JSONWriter.appendQuoted(key, to: &text.bytes)
        text.append(raw: ",\"error\":\"not_found\"}")
    }

    private func append(_ row: DocumentRow, key: String, to text: inout DocumentText) {
        text.append(raw: "{\"id\":")
        JSONWriter.appendQuoted(row.id, to: &text.bytes)
        text.append(raw: ",\"key\":")
        JSONWriter.appendQuoted(key, to: &text.bytes)
        text.append(raw: ",\"value\":{\"rev\":\"")
        text.bytes.append(row.winner.revision)
        text.append(raw: row.winner.isDeleted ? "\",\"deleted\":true}" : "\"}")
        if query.includesDocuments {
            text.append(raw: ",\"doc\":")
            if row.winner.isDeleted {
                text.append(raw: "null")
            } else {
                var renderer = DocumentRenderer()
                if query.conflicts { renderer.conflicts = row.conflicts }
                if query.attachments { renderer.attachments = .inline(unlessIn: []) }
                renderer.append(StoredRevision(winnerOf: row), to: &text)
            }
        }
        text.append(UInt8(ascii: "}"))
    }
}
