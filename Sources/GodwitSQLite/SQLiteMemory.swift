//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPageCipher
import CSQLite

/// How SQLite treats memory in this process. It is told before its first use, which is an interface to the disk or a
/// connection of ours, unless an app used it before.
enum SQLiteMemory {
    /// Has SQLite wipe what it held of pages, keep no sum of what it takes, and take no more than it needs.
    static func prepare() { _ = isPrepared }

    private static let isPrepared: Bool = {
        let isSet = godwit_sqlite_set_memory() == SQLITE_OK
        return pagecipher_wipe_freed_pages() && isSet
    }()
}
