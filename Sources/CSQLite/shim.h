#ifndef GODWIT_CSQLITE_SHIM_H
#define GODWIT_CSQLITE_SHIM_H
#include <sqlite3.h>
#include <stddef.h>

/// Configures SQLite without statistics of its memory, for which each allocation of each connection would take a lock,
/// and without preallocated cache pages: twenty of them are 87 KB for a connection that may need five.
///
/// \returns SQLITE_MISUSE if SQLite was used before.
static inline int godwit_sqlite_set_memory(void) {
    int result = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    return result == SQLITE_OK ? sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0) : result;
}

#endif
