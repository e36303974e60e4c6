//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// Reads the rows of a list of documents as JSON text, slice by slice. The slices and the number of documents before
/// them are of one state, as far as it can be kept; see `SliceReader`.
struct AllDocsRows {
    private let slices: SliceReader
    let area: ListedArea
    let query: AllDocsQuery
    private var scan: Scan
    /// The keys that are not looked up yet; `nil` if the query requests a range.
    private var keys: ArraySlice<JSONValue>?

    private struct Scan {
        var range: IDRange
        var skip: Int
        var remainingCount: Int
        var isAtEnd = false
    }

    init(_ query: AllDocsQuery, of area: ListedArea, in datastore: Datastore) {
        slices = SliceReader(datastore, keepsState: !query.attachments)
        self.area = area
        self.query = query
        scan = Scan(range: area.clamp(query.range), skip: query.skip, remainingCount: query.limit)
        keys = query.keys.map { keys in
            let keys = keys.filter(area.mayAsk)
            return (query.descending ? keys.reversed() : keys).dropFirst(query.skip).prefix(query.limit)
        }
    }

    var datastore: Datastore { slices.datastore }

    /// The members of the list's object before its rows. Call this method before the first ``next(bytesMax:rowsMax:)``.
    func head() throws -> [String] {
        // `offset` is the number of documents that precede the first row. CouchDB reads this number from its tree. This
        // server would have to scan these documents to count them.
        let listsEverything =
            area.isEverything && query.keys == nil && query.range.lower == nil && query.range.upper == nil
        let sequence = query.updateSequence ? ["\"update_seq\":\"\(datastore.updateSequence)\""] : []
        let total = try slices.read { table, _ in try area.count(in: table) }
        return sequence + [
            "\"total_rows\":\(total)", "\"offset\":\(listsEverything ? "\(min(query.skip, total))" : "null")",
        ]
    }

    /// Returns the next rows, separated by commas; `nil` at the end.
    ///
    /// - Parameters:
    ///   - bytesMax: The number of bytes after which a slice ends.
    ///   - rowsMax: The number of rows after which a slice ends.
    mutating func next(bytesMax: Int, rowsMax: Int = .max) async throws -> DocumentText? {
        guard keys == nil else {
            let text = try slices.read { table, isLast in
                let text = try nextOfKeys(from: table, bytesMax: bytesMax, rowsMax: rowsMax)
                isLast = keys?.isEmpty != false
                return text
            }
            return text.bytes.isEmpty ? nil : text
        }
        while scan.remainingCount > 0, !scan.isAtEnd {
            let text = try slices.read { table, isLast in
                let text = try nextInRange(from: table, bytesMax: bytesMax, rowsMax: rowsMax)
                isLast = scan.isAtEnd || scan.remainingCount == 0
                return text
            }
            if !text.bytes.isEmpty { return text }
            // Skipped rows are also read, so a slice may contain skipped rows only. In this case the loop reads the
            // next slice.
            await Task.yield()
            try Task.checkCancellation()
        }
        return nil
    }

    /// Reads the next live documents of a range of ids. The text is empty in two cases: all these documents are
    /// skipped, or the range contains no further document.
    private mutating func nextInRange(from table: DocumentTable, bytesMax: Int, rowsMax: Int) throws -> DocumentText {
        let neededCount = min(scan.remainingCount, rowsMax).addingReportingOverflow(scan.skip)
        let slice = try table.documents(
            in: scan.range, descending: query.descending, detail: query.includesDocuments ? .bodies : .leaves,
            rowsMax: min(datastore.limits.sliceRowsMax, neededCount.overflow ? .max : neededCount.partialValue),
            bytesMax: bytesMax)
        var text = DocumentText()
        for row in slice.rows.dropFirst(scan.skip).prefix(scan.remainingCount) {
            appendSeparator(to: &text)
            append(row, key: row.id, to: &text)
            scan.remainingCount -= 1
        }
        scan.skip = max(0, scan.skip - slice.rows.count)
        scan.isAtEnd = !slice.hasMore
        if let last = slice.rows.last { scan.range.goOn(after: last.id, descending: query.descending) }
        return text
    }

    /// Reads the rows of the next keys, in the order of the keys. Each key has a row, even if its document is deleted
    /// or missing. The text is empty after the last key.
    private mutating func nextOfKeys(from table: DocumentTable, bytesMax: Int, rowsMax: Int) throws -> DocumentText {
        var text = DocumentText()
        var count = 0
        while count < rowsMax, text.bytes.count < bytesMax, let key = keys?.popFirst() {
            count += 1
            appendSeparator(to: &text)
            try appendRow(key: key, from: table, to: &text)
        }
        return text
    }

    private func appendSeparator(to text: inout DocumentText) {
        if !text.bytes.isEmpty { text.append(raw: ",\n") }
    }

    private func appendRow(key: JSONValue, from table: DocumentTable, to text: inout DocumentText) throws {
        if let id = key.stringValue, area.contains(id), let row = try table.row(id: id) {
            return append(row, key: id, to: &text)
        }
        text.append(raw: "{\"key\":")
        text.bytes += key.jsonBytes()
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
