//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSelector
import GodwitStore

/// Extracts the content of documents for a text index.
struct TextExtractor {
    private let filter: Selector?
    /// Whether the filter tests the id or the revision, which are not in the body.
    private let filterNeedsIdentity: Bool

    init(_ definition: TextIndexDefinition) {
        filter = definition.partialFilter
        filterNeedsIdentity = filter?.fields.contains { $0.utf8.first == UInt8(ascii: "_") } ?? false
    }

    /// Returns the scanned body of a document if the document belongs to the index; `nil` otherwise.
    func tape(of row: DocumentRow, storedID: String) throws -> JSONTape? {
        guard !row.winner.isDeleted, !DocumentID.isDesign(row.id), !DocumentID.isStoredDesign(storedID) else {
            return nil
        }
        let tape = try JSONTape(scanning: row.body)
        guard let filter else { return tape }
        let subject = filterNeedsIdentity ? try JSONTape(scanning: Self.withIdentity(row)) : tape
        return filter.matches(subject) ? tape : nil
    }

    private static func withIdentity(_ row: DocumentRow) -> [UInt8] {
        var text = Array("{\"_id\":".utf8)
        JSONWriter.appendQuoted(row.id, to: &text)
        text += Array(",\"_rev\":\"\(row.winner.revision)\"".utf8)
        let rest = row.body.dropFirst()
        if rest.first(where: { $0 != UInt8(ascii: " ") }) != UInt8(ascii: "}") { text.append(UInt8(ascii: ",")) }
        return text + rest
    }

    /// Returns the texts of a document.
    ///
    /// - Parameters:
    ///   - tape: The document.
    ///   - lexer: Converts values to texts.
    ///   - columns: The index's columns. New fields are added.
    ///   - addColumn: Called for each new column.
    static func content(
        of tape: JSONTape, by lexer: TextLexer, columns: inout TextColumns,
        added addColumn: (_ path: String, _ column: Int) throws -> Void
    ) rethrows -> TextContent {
        var content = TextContent()
        for (path, value) in TextLeaves(of: tape, for: .words) {
            guard let column = columns.column(for: path, tape.kind(value)) else { continue }
            if column.isNew { try addColumn(path, column.number) }
            content.append(lexer.content(of: value, in: tape, at: path), to: column.number)
        }
        return content
    }
}
