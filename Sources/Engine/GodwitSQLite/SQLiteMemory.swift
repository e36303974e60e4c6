//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPageCipher
import CSQLite

/// The configuration of SQLite's memory in this process. It is set before the first connection or disk interface is
/// created. If the app already used SQLite before, the configuration cannot be set.
enum SQLiteMemory {
    /// Configures SQLite to wipe freed pages, to keep no memory statistics, and to allocate only what it needs.
    static func prepare() { _ = isPrepared }

    private static let isPrepared: Bool = {
        let isSet = godwit_sqlite_set_memory() == SQLITE_OK
        return pagecipher_wipe_freed_pages() && isSet
    }()
}
