//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The files that SQLite opens; each kind has its own read and write methods.

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
    pageformat format;
    pthread_mutex_t mutex; // guards the derived keys
    derived *derived;
};

/// An open database: the state that its connections in this process share.
typedef struct database {
    struct database *next;
    char *path;
    int files; // open ones; guarded by the mutex of the list
    filekey keys;
    pageformat format;
    /// The number of times that the lock of writers was taken; a log's state of frames is invalid after the next one.
    atomic_uint write_turn;
    pthread_mutex_t mutex; // guards the members below
    /// The index of the log (SQLite's "wal-index"), which would be in a file otherwise.
    void **regions;
    int regions_count;
    int regions_users;
    /// The page that a checkpoint read from the log and writes next: decrypted, and as stored in the log.
    bool has_passing_page;
    pthread_t passing_thread;
    bool is_checkpointing;
    uint8_t *passing_plain, *passing_sealed;
} database;

/// Running checksums of the frames of a log, up to and including `frame`.
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
        bool has_header; // to be written with its page
        int64_t header_offset;
        uint8_t header[FRAME_HEADER_BYTES];
        bool is_high_first;  // the order of the summed bytes
        unsigned turn;       // of the last writer
        chain written;       // of the frames in the file
        chain sealed, plain; // of the same frames, while the log is read from its start; `plain` counts no frames
        bool has_reread;     // whether the last call read a complete frame
        int64_t reread_offset;
        unsigned reread_turn;
    } log;
    struct {
        int64_t end; // the end of the last call's bytes; -1 before the first
        bool was_page;
        uint32_t number;     // of the next page
        uint32_t difference; // between its sums, sealed and plain
        bool has_written;    // whether pages were written: then it is not the journal of a crashed process
    } journal;
    struct {
        scrambler *scrambler;
        int64_t size;
    } temporary;
} cipherfile;

extern const sqlite3_io_methods pagecipher_database_methods, pagecipher_log_methods, pagecipher_journal_methods,
    pagecipher_temporary_methods;

/// The page number of a frame of the log, by the index of the log; 0 if the index has no entry or is not in this
/// process.
uint32_t pagecipher_indexed_page(database *database, int64_t frame);

/// Frees all resources of a file, and closes it.
int pagecipher_file_close(sqlite3_file *base);

// Methods that are passed on to the underlying file.
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
