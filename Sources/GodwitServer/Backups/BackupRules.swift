//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The schedule of the backups of all databases.
struct BackupRules: Sendable {
    /// The number of hours from the beginning of one backup to the beginning of the next; 0 for no schedule.
    var hours = 24
    /// The minimum number of complete backups that are kept. If several backups were made in one interval of the
    /// schedule, more backups are kept.
    var keptCount = 7
}
