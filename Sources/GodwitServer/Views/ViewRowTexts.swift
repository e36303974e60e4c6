//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitViews

/// Reads the rows of a query to a view as texts, slice by slice. Between slices nothing is held, and the view may go on.
struct ViewRowTexts {
    let plan: ViewPlan
    let parameters: ViewParameters
    let datastore: Datastore
    private var cursor: ViewCursor
    private var groups: GroupCursor
    /// Rows that were read and are not texts yet.
    private var waiting: ArraySlice<StoredRow> = []

    init(plan: ViewPlan, parameters: ViewParameters, datastore: Datastore) throws(HTTPFailure) {
        try parameters.check(plan)
        self.plan = plan
        self.parameters = parameters
        self.datastore = datastore
        cursor = ViewCursor(plan)
        groups = GroupCursor(plan)
    }

    /// What is told of the rows beside them, as members of an object.
    func head() throws -> [String] {
        let sequence = parameters.updateSequence ? ["\"update_seq\":\"\(datastore.sequence(plan.followed))\""] : []
        if plan.reduces { return sequence }
        let totals = try datastore.readTogether { try ViewCursor(plan).totals(from: $0) }
        return sequence + ["\"total_rows\":\(totals.rows)", "\"offset\":\(totals.offset)"]
    }

    /// The next rows with commas between them; `nil` when there are no more.
    ///
    /// - Parameters:
    ///   - bytesMax: Bytes of text after which a slice ends.
    ///   - rowsMax: Rows after which a slice ends; groups come as they are reduced together.
    mutating func next(bytesMax: Int, rowsMax: Int = .max) async throws -> DocumentText? {
        try plan.reduces ? await nextGroups() : nextRows(bytesMax: bytesMax, rowsMax: rowsMax)
    }

    // MARK: Rows

    /// With their documents rows are longer than they are read.
    private static let shareOfRows = 8

    private mutating func nextRows(bytesMax: Int, rowsMax: Int) throws -> DocumentText? {
        try datastore.readTogether { table in
            if waiting.isEmpty {
                let share = plan.query.includesDocuments ? ViewRowTexts.shareOfRows : 1
                waiting = try cursor.next(from: table, bytesMax: bytesMax / share)?[...] ?? []
            }
            guard !waiting.isEmpty else { return nil }
            var text = DocumentText()
            var count = 0
            while count < rowsMax, text.bytes.count < bytesMax, let row = waiting.popFirst() {
                if count > 0 { text.append(raw: ",\n") }
                count += 1
                try append(row, from: table, to: &text)
            }
            // A slice keeps what was taken from its front.
            waiting = Array(waiting)[...]
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

    /// The row's document, or the one that its value names.
    private func appendDocument(of row: StoredRow, from table: DocumentTable, to text: inout DocumentText) throws {
        guard let (found, revision) = try row.document(from: table) else { return text.append(raw: "null") }
        var renderer = DocumentRenderer()
        if parameters.conflicts { renderer.conflicts = found.conflicts }
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
            // As in CouchDB, without its key.
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
            for (position, row) in rows.enumerated() {
                if position > 0 { text.append(raw: ",\n") }
                append(row, to: &text)
            }
            return text
        }
        return nil
    }
}
