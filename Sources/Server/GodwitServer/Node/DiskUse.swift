//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The free and total space of the disk that contains the databases.
struct DiskUse {
    /// The number of bytes that processes without special rights can still write.
    let freeBytes: Int
    /// The size of the disk.
    let totalBytes: Int

    /// Reads the space of the disk that contains a directory; `nil` when the system does not report it.
    init?(of directory: String) {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return nil }
        freeBytes = Int(clamping: status.f_bavail).multipliedSaturated(by: Int(clamping: status.f_frsize))
        totalBytes = Int(clamping: status.f_blocks).multipliedSaturated(by: Int(clamping: status.f_frsize))
    }
}
