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

/// Restricts what the schema of a file can let a connection do. The file may come from anywhere: its triggers do not
/// run, its views are not read unless `allows_views` is set, and its expressions call only harmless functions.
static inline void godwit_sqlite_restrict(sqlite3 *connection, int allows_views) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, allows_views, NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
}

/// Keeps the log of a file when a connection is the last one that closes. The connection that writes copies the log.
static inline void godwit_sqlite_keep_log(sqlite3 *connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

#endif
