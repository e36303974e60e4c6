//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The number of files that this process may have open.
package enum FileLimit {
    /// The smallest limit with which a server starts.
    package static let serverMin = 256

    /// The current limit, at most ``OpenFileLimit/systemMax``; 256 if the system does not report it.
    package static var current: Int {
        OpenFileLimit.current.map { Int(min($0.rlim_cur, OpenFileLimit.systemMax)) } ?? 256
    }

    /// A database has at most this number of files open: its file, its log, the index of the log, and two for each
    /// reader.
    private static let filesPerDatabase = 11
    /// The largest number of files that are kept for other purposes: snapshots, uploads, backups, replications, and the
    /// system's own libraries, which end the process if they cannot open a file.
    private static let reservedMax = 512

    /// The number of databases whose files may be open: a third of the limit is for their files.
    static var databasesMax: Int { max(current / (3 * filesPerDatabase), 1) }

    /// The number of connections of clients that leaves enough files for the rest of a server.
    package static func connectionsMax(databasesOpenMax: Int) -> Int {
        let databaseFiles = min(databasesOpenMax, databasesMax) * filesPerDatabase
        return max(current - databaseFiles - min(reservedMax, current / 4), 1)
    }

    /// Raises the limit to the maximum that this process may set, at most ``OpenFileLimit/systemMax``. Ignores errors.
    /// The usual limit is too low for many databases.
    package static func raise() {
        guard var limits = OpenFileLimit.current else { return }
        limits.rlim_cur = max(limits.rlim_cur, min(limits.rlim_max, OpenFileLimit.systemMax))
        OpenFileLimit.change(to: limits)
    }
}
