//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitViews

/// Reads the rows of a query to a view as JSON text, slice by slice. The slices and the numbers of rows before them are
/// of one state, as far as it can be kept; see `SliceReader`.
struct ViewRowTexts {
    let plan: ViewPlan
    let parameters: ViewParameters
    private let slices: SliceReader
    private var cursor: ViewCursor
    private var groups: GroupCursor
    /// The rows that were read and are not rendered yet.
    private var pendingRows: ArraySlice<StoredRow> = []
    /// The number of rows of the view and the offset of the query; `nil` if they have not been read.
    private var totals: (rows: Int, offset: Int)?

    init(plan: ViewPlan, parameters: ViewParameters, datastore: Datastore) throws(HTTPFailure) {
        try parameters.check(plan)
        self.plan = plan
        self.parameters = parameters
        slices = SliceReader(datastore, keepsState: !parameters.attachments)
        cursor = ViewCursor(plan)
        groups = GroupCursor(plan)
    }

    var datastore: Datastore { slices.datastore }

    /// The members of the object before its rows.
    mutating func head() throws -> [String] {
        let sequence = parameters.updateSequence ? ["\"update_seq\":\"\(datastore.sequence(plan.followed))\""] : []
        if plan.reduces { return sequence }
        let totals = try self.totals ?? slices.read { table, _ in try readTotals(from: table) }
        return sequence + ["\"total_rows\":\(totals.rows)", "\"offset\":\(totals.offset)"]
    }

    /// Returns the next rows, separated by commas; `nil` at the end.
    ///
    /// - Parameters:
    ///   - bytesMax: The number of bytes of text after which a slice ends. It does not apply to groups.
    ///   - rowsMax: The number of rows after which a slice ends. It does not apply to groups.
    mutating func next(bytesMax: Int, rowsMax: Int = .max) async throws -> DocumentText? {
        try plan.reduces ? await nextGroups() : nextRows(bytesMax: bytesMax, rowsMax: rowsMax)
    }

    // MARK: Rows

    /// Rows that are rendered with their documents are longer than the stored rows. This is the estimated ratio of the
    /// two lengths.
    private static let lengthFactor = 8

    /// Reads the numbers of rows. They are read with the first rows, whether or not the head is asked for first.
    private mutating func readTotals(from table: DocumentTable) throws -> (rows: Int, offset: Int) {
        let totals = try cursor.totals(from: table)
        self.totals = totals
        return totals
    }

    private mutating func nextRows(bytesMax: Int, rowsMax: Int) throws -> DocumentText? {
        try slices.read { table, isLast in
            if totals == nil { _ = try readTotals(from: table) }
            if pendingRows.isEmpty {
                let factor = plan.query.includesDocuments ? ViewRowTexts.lengthFactor : 1
                pendingRows = try cursor.next(from: table, bytesMax: bytesMax / factor)?[...] ?? []
            }
            guard !pendingRows.isEmpty else {
                isLast = true
                return nil
            }
            var text = DocumentText()
            var count = 0
            while count < rowsMax, text.bytes.count < bytesMax, let row = pendingRows.popFirst() {
                if count > 0 { text.append(raw: ",\n") }
                count += 1
                try append(row, from: table, to: &text)
            }
            // After elements are removed from an array slice, they still need memory. Therefore the remaining rows are
            // copied to a new array.
            pendingRows = Array(pendingRows)[...]
            isLast = pendingRows.isEmpty && cursor.isAtEnd
            return text
        }
    }

    private func append(_ row: StoredRow, from table: DocumentTable, to text: inout DocumentText) throws {
        text.append(raw: "{\"id\":")
        JSONWriter.appendQuoted(row.id, to: &text.bytes)
        text.append(raw: ",\"key\":")
        text += row.key
        text.append(raw: ",\"value\":")
        text += row.value
        if plan.query.includesDocuments {
            text.append(raw: ",\"doc\":")
            try appendDocument(of: row, from: table, to: &text)
        }
        text.append(UInt8(ascii: "}"))
    }

    /// Appends the document of a row. This is the document that emitted the row. However, if the value of the row names
    /// another document (`_id`), that other document is appended instead.
    private func appendDocument(of row: StoredRow, from table: DocumentTable, to text: inout DocumentText) throws {
        guard let (documentRow, revision) = try row.document(from: table) else { return text.append(raw: "null") }
        var renderer = DocumentRenderer()
        if parameters.conflicts { renderer.conflicts = documentRow.conflicts }
        if parameters.attachments { renderer.attachments = .inline(unlessIn: []) }
        renderer.append(revision, to: &text)
    }

    // MARK: Groups

    private func append(_ row: ReducedRow, to text: inout DocumentText) {
        switch row.value {
        case .success(let value):
            text.append(raw: "{\"key\":")
            text += row.key
            text.append(raw: ",\"value\":")
            text += value
        case .failure(let error):
            // As in CouchDB, the key of a row that contains an error is `null`.
            text.append(raw: "{\"key\":null,\"error\":\"\(error.error)\",\"reason\":")
            JSONWriter.appendQuoted(error.reason, to: &text.bytes)
        }
        text.append(UInt8(ascii: "}"))
    }

    private mutating func nextGroups() async throws -> DocumentText? {
        while let slice = try nextGroupSlice() {
            let rows = try await groups.reduce(slice)
            guard !rows.isEmpty else { continue }
            var text = DocumentText()
            for (index, row) in rows.enumerated() {
                if index > 0 { text.append(raw: ",\n") }
                append(row, to: &text)
            }
            return text
        }
        return nil
    }
    private mutating func nextGroupSlice() throws -> [GroupCursor.Group]? {
        try slices.read { table, isLast in
            let slice = try groups.next(from: table)
            isLast = slice == nil || groups.isAtEnd
            return slice
        }
    }
}
