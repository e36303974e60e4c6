#ifndef GODWIT_CSQLITE_SHIM_H
#define GODWIT_CSQLITE_SHIM_H
#include <sqlite3.h>
#include <stddef.h>

/// Has SQLite keep no sum of the memory that it takes, which each allocation of each connection would lock, and take pages
/// for a cache as they come: twenty in advance are 87 KB for a connection that may need five.
///
/// \returns SQLITE_MISUSE when SQLite was used before.
static inline int godwit_sqlite_set_memory(void) {
    int result = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    return result == SQLITE_OK ? sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0) : result;
}

#endif
