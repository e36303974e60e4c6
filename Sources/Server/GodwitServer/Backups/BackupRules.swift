//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The schedule of the backups of all databases.
struct BackupRules: Sendable {
    /// The number of hours from the beginning of one backup to the beginning of the next; 0 for no schedule.
    var hours = 24
    /// The minimum number of complete backups that are kept. A backup is also kept if it was made in the last
    /// `keptCount` intervals of the schedule. Therefore more backups are kept if several were made in one interval.
    var keptCount = 7
}
