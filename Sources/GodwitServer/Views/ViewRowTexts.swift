//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitViews

/// Reads the rows of a query to a view as JSON text, slice by slice. Between two slices, no transaction is open, so
/// that the view can be updated in the meantime.
struct ViewRowTexts {
    let plan: ViewPlan
    let parameters: ViewParameters
    let datastore: Datastore
    private var cursor: ViewCursor
    private var groups: GroupCursor
    /// The rows that were read and are not rendered yet.
    private var pendingRows: ArraySlice<StoredRow> = []

    init(plan: ViewPlan, parameters: ViewParameters, datastore: Datastore) throws(HTTPFailure) {
        try parameters.check(plan)
        self.plan = plan
        self.parameters = parameters
        self.datastore = datastore
        cursor = ViewCursor(plan)
        groups = GroupCursor(plan)
    }

    /// The members of the object before its rows.
    func head() throws -> [String] {
        let sequence = parameters.updateSequence ? ["\"update_seq\":\"\(datastore.sequence(plan.followed))\""] : []
        if plan.reduces { return sequence }
        let totals = try datastore.readTogether { try ViewCursor(plan).totals(from: $0) }
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

    private mutating func nextRows(bytesMax: Int, rowsMax: Int) throws -> DocumentText? {
        try datastore.readTogether { table in
            if pendingRows.isEmpty {
                let factor = plan.query.includesDocuments ? ViewRowTexts.lengthFactor : 1
                pendingRows = try cursor.next(from: table, bytesMax: bytesMax / factor)?[...] ?? []
            }
            guard !pendingRows.isEmpty else { return nil }
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
        while let slice = try datastore.readTogether({ try groups.next(from: $0) }) {
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
}
