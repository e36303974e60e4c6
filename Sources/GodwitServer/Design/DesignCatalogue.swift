//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitScript
import GodwitStore
import HTTPTypes

extension Datastore {
    /// The functions of a design document as it is now.
    ///
    /// - Parameter name: The document's id without `_design/`.
    /// - Throws: ``HTTPFailure`` with status 404 when it is not there.
    func functions(of name: String, scripts: ScriptEngine) throws -> DesignFunctions {
        guard let row = try read({ try $0.row(id: DocumentID.designPrefix + name) }) else { throw HTTPFailure.missing }
        guard !row.winner.isDeleted else { throw HTTPFailure.deleted }
        return try DesignFunctions(row, owner: functionsOwner, scripts: scripts)
    }

    /// Stands for the database among all that there ever were, so that functions of two never share a world.
    var functionsOwner: String { IndexedDatabase(self).owner }
}

extension DesignFunctions {
    /// Refuses what names a function that is not there, in CouchDB's words.
    func check(_ kind: String, _ name: String) throws(HTTPFailure) {
        guard let functions = members[kind]?.objectValue else {
            throw HTTPFailure(.notFound, "not_found", "missing json key: \(kind)")
        }
        guard functions[name] != nil else { throw HTTPFailure(.notFound, "not_found", "missing json key: \(name)") }
    }
}
