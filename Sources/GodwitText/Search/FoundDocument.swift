//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
package import GodwitStore

/// A document that a query found.
package struct FoundDocument: Sendable {
    /// Its row; `nil` where the index had all that was asked for.
    package let row: DocumentRow?
    /// The members wanted, as JSON; `nil` for the whole document.
    package let projected: [UInt8]?

    package init(row: DocumentRow?, projected: [UInt8]?) { (self.row, self.projected) = (row, projected) }

    /// The document as JSON.
    ///
    /// - Parameter showsConflicts: Whether it has the ids of its conflicting revisions.
    package func appendText(showsConflicts: Bool, to text: inout DocumentText) {
        if let projected {
            text += projected
        } else if let row {
            var renderer = DocumentRenderer()
            if showsConflicts { renderer.conflicts = row.conflicts }
            renderer.append(StoredRevision(winnerOf: row), to: &text)
        }
    }

    /// The document as a value; a projected one has no revision, so that it cannot be saved over the whole one.
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
