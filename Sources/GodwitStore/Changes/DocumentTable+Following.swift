//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What somebody needs who follows a database by its changes: they say nothing of documents that were purged.
extension DocumentTable {
    /// The counters of the whole database, of the same state as all that is read in this transaction.
    package func state() throws -> DatabaseState { try DatabaseState.read(from: connection).0 }

    /// The documents of this scope of which purges after a number took something, by their ids; some may be there still,
    /// or again.
    ///
    /// - Returns: `nil` when not all of those purges are remembered.
    package func purgedIDs(after number: Int64, upTo last: Int64) throws -> [String]? {
        guard last > number else { return [] }
        let purged = try IndexTable(connection).purged(after: number, upTo: last)
        guard purged.isComplete else { return nil }
        return purged.changes.compactMap { change in
            guard case .removed(_, let storedID) = change, storedID.utf8.starts(with: scope.prefix.utf8) else {
                return nil
            }
            return scope.visible(storedID)
        }
    }
}

extension DocumentRow {
    /// The attachments whose bytes are not here.
    package var absentAttachmentCount: Int { attachments.count { $0.blob.isAbsent } }
}
