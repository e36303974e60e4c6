//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitStore

/// A kind of index whose entries are computed by functions of design documents.
package protocol ScriptedIndexKind: ChangeFilterKind {
    /// The engine that runs the functions.
    var scripts: ScriptEngine { get }
}

extension Datastore {
    /// Returns the engine that runs the functions of the database's design documents.
    ///
    /// - Throws: ``ScriptError`` with the code `unavailable` when the manager was opened without an engine.
    package func scripts() throws(ScriptError) -> ScriptEngine {
        guard let kind = indexKinds.lazy.compactMap({ $0 as? any ScriptedIndexKind }).first else {
            throw .unavailable(
                "The databases were opened without JavaScript: open them with DatastoreManager(directory:scripts:).")
        }
        return kind.scripts
    }

    /// Returns the functions of the current revision of a design document; `nil` when it does not exist or is deleted.
    ///
    /// - Parameter name: The document's id without `_design/`.
    /// - Throws: ``ScriptError`` with the code `unavailable` when the document exists, but the manager was opened
    ///   without an engine; ``StoreError`` when the document cannot be read.
    package func functions(of name: String) throws -> DesignFunctions? {
        let id = DocumentID.designPrefix + name
        return try cachedOfDesign(id, bytes: \.bytes) {
            guard let row = try read({ try $0.row(id: id) }), !row.winner.isDeleted else { return nil }
            return try functions(of: row)
        }
    }

    /// Returns the functions of a design document.
    package func functions(of row: DocumentRow) throws -> DesignFunctions {
        try DesignFunctions(row, in: IndexedDatabase(self), scripts: try scripts())
    }
}
