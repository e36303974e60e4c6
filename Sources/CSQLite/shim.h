#ifndef GODWIT_CSQLITE_SHIM_H
#define GODWIT_CSQLITE_SHIM_H
#include <sqlite3.h>
#endif
