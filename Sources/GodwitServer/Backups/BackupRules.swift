//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The schedule of the backups of all databases.
struct BackupRules: Sendable {
    /// The number of hours from the beginning of a backup to that of the next one; 0 for no schedule.
    var hours = 24
    /// The number of complete backups that are kept.
    var keptCount = 7
}
