//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Data for clients that follow the changes of a database and also need its purges and counters, which the changes do
/// not report.
extension DocumentTable {
    /// The counters of the complete database, in the state that this transaction reads.
    package func state() throws -> DatabaseState { try DatabaseState.read(from: connection).0 }

    /// The ids of documents of this scope that were purged, completely or in part, after the purge `number`. Some of
    /// these documents may still exist, or may have been created again.
    ///
    /// - Parameter last: The number of the last purge of the database.
    ///
    /// - Returns: `nil` if some of these purges are no longer remembered.
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
    /// The number of attachments whose bytes are absent.
    package var absentAttachmentCount: Int { attachments.count { $0.blob.isAbsent } }
}
