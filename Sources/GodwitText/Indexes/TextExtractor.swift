//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
import GodwitStore

/// Takes out of documents what a text index wants to know.
struct TextExtractor {
    private let filter: Selector?
    /// Whether the filter asks for the id or the revision, which are not in a body.
    private let filterWantsIdentity: Bool

    init(_ definition: TextIndexDefinition) {
        filter = definition.partialFilter
        filterWantsIdentity = filter?.fields.contains { $0.utf8.first == UInt8(ascii: "_") } ?? false
    }

    /// The scanned body of a document that belongs into the index; `nil` for any other.
    func tape(of row: DocumentRow, storedID: String) throws -> JSONTape? {
        guard !row.winner.isDeleted, !DocumentID.isDesign(row.id), !DocumentID.isStoredDesign(storedID) else {
            return nil
        }
        let tape = try JSONTape(scanning: row.body)
        guard let filter else { return tape }
        let subject = filterWantsIdentity ? try JSONTape(scanning: Self.withIdentity(row)) : tape
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

    /// The texts of a document.
    ///
    /// - Parameters:
    ///   - tape: The document.
    ///   - lexer: Makes words of them.
    ///   - columns: The index's columns; new fields get theirs.
    ///   - added: Is told of each new column.
    static func content(
        of tape: JSONTape, by lexer: TextLexer, columns: inout TextColumns,
        added: (_ path: String, _ column: Int) throws -> Void
    ) rethrows -> TextContent {
        var content = TextContent()
        for (path, value) in TextLeaves(of: tape, for: .words) {
            guard let column = columns.column(for: path, tape.kind(value)) else { continue }
            if column.isNew { try added(path, column.number) }
            content.append(lexer.content(of: value, in: tape, at: path), to: column.number)
        }
        return content
    }
}
