//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitViews

/// Writes the rows of a view as they are read.
struct ViewWriter {
    let plan: ViewPlan
    let parameters: ViewParameters
    let datastore: Datastore
    let response: ServerResponse

    /// What stands before the rows.
    func head() throws -> String {
        let sequence = parameters.updateSequence ? "\"update_seq\":\"\(datastore.sequence(plan.followed))\"," : ""
        if plan.reduces { return "{\(sequence)\"rows\":[\n" }
        let totals = try datastore.readTogether { try ViewCursor(plan).totals(from: $0) }
        return "{\(sequence)\"total_rows\":\(totals.rows),\"offset\":\(totals.offset),\"rows\":[\n"
    }

    /// Writes the answer to one query as one object.
    func write(_ head: String) async throws {
        if plan.reduces { try await writeGroups(head) } else { try await writeRows(head) }
        try await response.write("\n]}")
    }

    private func writeRows(_ head: String) async throws {
        try await response.write(head)
        var cursor = ViewCursor(plan)
        var isFirst = true
        while let text = try text(&cursor, &isFirst) { try await response.write(try datastore.pinned(text)) }
    }

    private func text(_ cursor: inout ViewCursor, _ isFirst: inout Bool) throws -> DocumentText? {
        try datastore.readTogether { table in
            guard let rows = try cursor.next(from: table, bytesMax: response.sliceBytes) else { return nil }
            var text = DocumentText()
            for row in rows {
                if !isFirst { text.append(raw: ",\n") }
                isFirst = false
                try append(row, from: table, to: &text)
            }
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

    /// What is wrong with the first groups is said by a status; the answer begins with them.
    private func writeGroups(_ head: String) async throws {
        var cursor = GroupCursor(plan)
        var text = Array(head.utf8)
        var isFirst = true
        while let groups = try datastore.readTogether({ try cursor.next(from: $0) }) {
            for row in try await cursor.reduce(groups) {
                text.append(raw: isFirst ? "{\"key\":" : ",\n{\"key\":")
                isFirst = false
                text += row.key
                text.append(raw: ",\"value\":")
                text += row.value
                text.append(UInt8(ascii: "}"))
            }
            try await response.write(text)
            text = []
        }
        try await response.write(text)
    }
}
