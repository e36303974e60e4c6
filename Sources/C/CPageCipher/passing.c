//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Methods of all files: closing, size, locks and flushes are passed to the underlying file.

#include "files.h"

#include <stdlib.h>

static sqlite3_file *real_of(sqlite3_file *base) { return ((cipherfile *)base)->real; }

int pagecipher_file_size(sqlite3_file *base, sqlite3_int64 *size) {
    return real_of(base)->pMethods->xFileSize(real_of(base), size);
}

int pagecipher_file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    return real_of(base)->pMethods->xTruncate(real_of(base), size);
}

int pagecipher_file_sync(sqlite3_file *base, int flags) { return real_of(base)->pMethods->xSync(real_of(base), flags); }

int pagecipher_file_lock(sqlite3_file *base, int level) { return real_of(base)->pMethods->xLock(real_of(base), level); }

int pagecipher_file_unlock(sqlite3_file *base, int level) {
    return real_of(base)->pMethods->xUnlock(real_of(base), level);
}

int pagecipher_file_check_reserved(sqlite3_file *base, int *result) {
    return real_of(base)->pMethods->xCheckReservedLock(real_of(base), result);
}

int pagecipher_file_control(sqlite3_file *base, int operation, void *argument) {
    switch (operation) {
    // Pages are read and written through the cipher, one by one.
    case SQLITE_FCNTL_MMAP_SIZE:
    case SQLITE_FCNTL_BEGIN_ATOMIC_WRITE:
    case SQLITE_FCNTL_COMMIT_ATOMIC_WRITE:
    case SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE: return SQLITE_NOTFOUND;
    default: return real_of(base)->pMethods->xFileControl(real_of(base), operation, argument);
    }
}

int pagecipher_file_sector_size(sqlite3_file *base) { return real_of(base)->pMethods->xSectorSize(real_of(base)); }

int pagecipher_file_characteristics(sqlite3_file *base) {
    // A write of a page does not change its neighbours. So SQLite writes frames one by one, header and page, without
    // filling up sectors, and headers of journals of 512 bytes, which are no pages.
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}
