#ifndef GODWIT_CSQLITE_SHIM_H
#define GODWIT_CSQLITE_SHIM_H
#include <sqlite3.h>

/// Has SQLite keep no sum of the memory that it takes: each allocation of each connection would lock it.
///
/// \returns SQLITE_MISUSE when SQLite was used before.
static inline int godwit_sqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

#endif
