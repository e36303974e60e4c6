//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The files that SQLite opens, each with its own way through the cipher.

#ifndef PAGECIPHER_FILES_H
#define PAGECIPHER_FILES_H

#include "page.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>

enum { FRAME_HEADER_BYTES = 24 };

/// A passphrase's key for a salt.
typedef struct derived {
    struct derived *next;
    filekey keys;
} derived;

struct pagecipher {
    sqlite3_vfs vfs;
    sqlite3_vfs *under;
    char *name;
    enum pagecipher_secret kind;
    uint8_t *secret;
    size_t length;
    uint32_t page_bytes;
    pthread_mutex_t mutex; // guards what was derived
    derived *derived;
};

/// A database that is open: what its connections in this process share.
typedef struct database {
    struct database *next;
    char *path;
    int files; // that are open, guarded by the mutex of the list
    filekey keys;
    uint32_t page_bytes;
    /// Counts who took the lock of writers; what a log's file remembers of frames is void with the next one.
    atomic_uint write_turn;
    pthread_mutex_t mutex; // guards what follows
    /// The index of the log (SQLite's "wal-index"), which would lie in a file otherwise.
    void **regions;
    int regions_count;
    int regions_users;
    /// The page that a checkpoint read from the log and is to write next: as it is, and as it lies there.
    bool has_passing_page;
    pthread_t passing_thread;
    bool is_checkpointing;
    uint8_t *passing_plain, *passing_sealed;
} database;

/// Running checksums of the frames of a log, after a frame.
typedef struct {
    bool is_known;
    int64_t frame;
    uint32_t sums[2];
} chain;

/// A file of an encrypted database.
typedef struct cipherfile {
    sqlite3_file base;
    sqlite3_file *real;
    pagecipher *cipher;
    database *database; // NULL for a temporary file
    sealer *sealer;
    uint8_t *scratch; // a frame: its header and its page
    bool has_shared_memory;

    struct {
        bool has_header; // that is to be written with its page
        int64_t header_offset;
        uint8_t header[FRAME_HEADER_BYTES];
        bool is_high_first;  // the order of the bytes that are summed
        unsigned turn;       // of whoever wrote last
        chain written;       // as the frames lie in the file
        chain sealed, plain; // in step, while the log is read from its start; `plain` counts no frames
        bool has_reread;     // whether the last call read a frame whole
        int64_t reread_offset;
        unsigned reread_turn;
    } log;
    struct {
        int64_t end; // where the last call ended; -1 for nowhere
        bool was_page;
        uint32_t number;     // of the page that comes next
        uint32_t difference; // of its sums, sealed and plain
        bool has_written;    // pages, so that it is no journal of somebody who crashed
    } journal;
    struct {
        scrambler *scrambler;
        int64_t size;
    } temporary;
} cipherfile;

extern const sqlite3_io_methods pagecipher_database_methods, pagecipher_log_methods, pagecipher_journal_methods,
    pagecipher_temporary_methods;

/// The page that a frame of the log holds, as the index of the log has it; 0 when that is nowhere in this process.
uint32_t pagecipher_indexed_page(database *database, int64_t frame);

/// Gives a file back all that it holds, and closes it.
int pagecipher_file_close(sqlite3_file *base);

// What every file passes on.
int pagecipher_file_size(sqlite3_file *base, sqlite3_int64 *size);
int pagecipher_file_truncate(sqlite3_file *base, sqlite3_int64 size);
int pagecipher_file_sync(sqlite3_file *base, int flags);
int pagecipher_file_lock(sqlite3_file *base, int level);
int pagecipher_file_unlock(sqlite3_file *base, int level);
int pagecipher_file_check_reserved(sqlite3_file *base, int *result);
int pagecipher_file_control(sqlite3_file *base, int operation, void *argument);
int pagecipher_file_sector_size(sqlite3_file *base);
int pagecipher_file_characteristics(sqlite3_file *base);

#endif
