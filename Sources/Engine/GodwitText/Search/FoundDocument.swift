//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
package import GodwitStore

/// A document that a query found: a stored row, or the JSON of selected members.
package struct FoundDocument: Sendable {
    /// The row of the document; `nil` if an index contained all requested fields.
    package let row: DocumentRow?
    /// The selected members as JSON; `nil` for the complete document.
    package let projected: [UInt8]?

    /// Creates a result from a row, from selected members as JSON, or from both.
    package init(row: DocumentRow?, projected: [UInt8]?) { (self.row, self.projected) = (row, projected) }

    /// Appends the document as JSON.
    ///
    /// - Parameter showsConflicts: Whether to include the ids of its conflicting revisions.
    package func appendText(showsConflicts: Bool, to text: inout DocumentText) {
        if let projected {
            text += projected
        } else if let row {
            var renderer = DocumentRenderer()
            if showsConflicts { renderer.conflicts = row.conflicts }
            renderer.append(StoredRevision(winnerOf: row), to: &text)
        }
    }

    /// Returns the document as a value. A document with selected members has no revision, so that it cannot overwrite
    /// the complete document.
    package func document() throws -> Document {
        if let projected {
            var members = try JSONValue(parsing: projected).objectValue ?? [:]
            let id = members["_id"]?.stringValue
            for name in Array(members.keys) where name.utf8.first == UInt8(ascii: "_") { members[name] = nil }
            return Document(id: id, revision: nil, isDeleted: false, body: members, attachments: [:])
        }
        guard let row else { return Document(body: [:]) }
        return try Document(StoredRevision(winnerOf: row))
    }
}
