//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Overwrites SQLite's memory of pages before it is freed. Pages are SQLite's large blocks, so only large blocks are
// overwritten.

#include "pagecipher.h"

#include <CKeys.h>
#include <sqlite3.h>
#include <string.h>

enum { WIPED_BYTES_MIN = 512 };

static sqlite3_mem_methods methods;

static void wipe_and_free(void *bytes) {
    int size = bytes ? methods.xSize(bytes) : 0;
    if (size >= WIPED_BYTES_MIN) godwit_wipe(bytes, (size_t)size);
    methods.xFree(bytes);
}

static void *wipe_and_move(void *bytes, int wanted) {
    int size = bytes ? methods.xSize(bytes) : 0;
    if (size < WIPED_BYTES_MIN) return methods.xRealloc(bytes, wanted);
    void *made = methods.xMalloc(wanted);
    if (!made) return NULL;
    memcpy(made, bytes, (size_t)(size < wanted ? size : wanted));
    wipe_and_free(bytes);
    return made;
}

bool pagecipher_wipe_freed_pages(void) {
    sqlite3_mem_methods wiping;
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &methods) != SQLITE_OK) return false;
    wiping = methods;
    wiping.xFree = wipe_and_free;
    wiping.xRealloc = wipe_and_move;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &wiping) == SQLITE_OK;
}
