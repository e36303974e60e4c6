//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The file of a database.
//
// SQLite reads complete pages, except that it sometimes reads a part of the first one: 100 bytes when it opens a file,
// 16 when it checks whether another connection has written. It writes complete pages.
//
// The index of the log is shared memory, which SQLite stores in a file (`-shm`). That index contains a running checksum
// of the plain pages: a sum of words, from which an unknown word can be calculated. So the index is in this process's
// memory; the file that the underlying interface creates is used for its locks, and contains zeros. Godwit's lock on
// directories ensures that all connections to an encrypted file are of one process.

#include "files.h"

#include <stdlib.h>
#include <string.h>

enum { RESERVED_OFFSET = 20, REGIONS_MAX = 65536 };

/// The offset of SQLite's locks. SQLite never writes the page that contains this byte.
enum { LOCKS_OFFSET = 0x40000000 };

/// Whether a page may contain only zeros: a page beyond the end, or that of the locks.
static bool may_be_blank(uint32_t number, uint32_t page_bytes, int code) {
    return code == SQLITE_IOERR_SHORT_READ || number == LOCKS_OFFSET / page_bytes + 1;
}

static int read_page(cipherfile *self, uint32_t number, uint8_t *page) {
    uint32_t page_bytes = self->cipher->format.page_bytes;
    uint8_t *sealed = self->scratch;
    int code = self->real->pMethods->xRead(self->real, sealed, (int)page_bytes, (int64_t)(number - 1) * page_bytes);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return code;
    if (may_be_blank(number, page_bytes, code) && pagecipher_is_blank(sealed, page_bytes)) {
        memset(page, 0, page_bytes);
        return code;
    }
    if (!pagecipher_page_open(&self->cipher->format, self->sealer, number, sealed, page)) return pagecipher_note_damage(number, false);
    return SQLITE_OK;
}

/// Reads a part of a page.
static int read_part(cipherfile *self, uint32_t number, uint8_t *bytes, int count, uint32_t start) {
    uint32_t page_bytes = self->cipher->format.page_bytes;
    uint8_t *page = sqlite3_malloc64(page_bytes);
    if (!page) return SQLITE_NOMEM;
    int code = read_page(self, number, page);
    // The log or the journal may contain the valid page: a file whose first page is torn can be opened, and its size is
    // unknown until SQLite has read them.
    if (code == PAGECIPHER_DAMAGED && number == 1 && start == 0) {
        memset(page, 0, page_bytes);
        code = SQLITE_IOERR_SHORT_READ;
    }
    if (code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ) memcpy(bytes, page + start, (size_t)count);
    godwit_wipe(page, page_bytes);
    sqlite3_free(page);
    return code;
}

static int database_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    cipherfile *self = (cipherfile *)base;
    uint32_t page_bytes = self->cipher->format.page_bytes;
    uint32_t number = (uint32_t)(offset / page_bytes) + 1, start = (uint32_t)(offset % page_bytes);
    if (start == 0 && (uint32_t)count == page_bytes) return read_page(self, number, bytes);
    if (start + (uint32_t)count > page_bytes) return PAGECIPHER_UNFIT;
    return read_part(self, number, bytes, count, start);
}

/// Takes the sealed page from the log, if a checkpoint of this thread has just read it there. It is copied unchanged: a
/// page that is damaged, or that has another page's number, is detected when it is read, and the other pages of the log
/// are not lost.
static bool take_passing(cipherfile *self, const uint8_t *plain) {
    database *database = self->database;
    uint32_t page_bytes = self->cipher->format.page_bytes;
    pthread_mutex_lock(&database->mutex);
    bool is_it = database->is_checkpointing && database->has_passing_page
        && pthread_equal(database->passing_thread, pthread_self())
        && memcmp(database->passing_plain, plain, page_bytes - self->cipher->format.reserved_bytes) == 0;
    if (is_it) memcpy(self->scratch, database->passing_sealed, page_bytes);
    pthread_mutex_unlock(&database->mutex);
    return is_it;
}

static int database_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    cipherfile *self = (cipherfile *)base;
    uint32_t page_bytes = self->cipher->format.page_bytes;
    if ((uint32_t)count != page_bytes || offset % page_bytes) return PAGECIPHER_UNFIT;
    uint32_t number = (uint32_t)(offset / page_bytes) + 1;
    const uint8_t *page = bytes;
    if (number == 1 && page[RESERVED_OFFSET] != self->cipher->format.reserved_bytes) return PAGECIPHER_UNFIT;
    if (!take_passing(self, page)
        && !pagecipher_page_seal(&self->cipher->format, self->sealer, &self->database->keys, number, page, self->scratch))
        return SQLITE_NOMEM;
    return self->real->pMethods->xWrite(self->real, self->scratch, count, offset);
}

static void begin_checkpoint(database *database, uint32_t page_bytes) {
    pthread_mutex_lock(&database->mutex);
    if (!database->passing_plain) {
        database->passing_plain = malloc(page_bytes);
        database->passing_sealed = malloc(page_bytes);
    }
    database->is_checkpointing = database->passing_plain && database->passing_sealed;
    database->has_passing_page = false;
    database->passing_thread = pthread_self();
    pthread_mutex_unlock(&database->mutex);
}

static void end_checkpoint(database *database, uint32_t page_bytes) {
    pthread_mutex_lock(&database->mutex);
    database->is_checkpointing = database->has_passing_page = false;
    godwit_wipe(database->passing_plain, page_bytes);
    pthread_mutex_unlock(&database->mutex);
}

static int database_control(sqlite3_file *base, int operation, void *argument) {
    cipherfile *self = (cipherfile *)base;
    if (operation == SQLITE_FCNTL_CKPT_START) begin_checkpoint(self->database, self->cipher->format.page_bytes);
    if (operation == SQLITE_FCNTL_CKPT_DONE) end_checkpoint(self->database, self->cipher->format.page_bytes);
    return pagecipher_file_control(base, operation, argument);
}

// MARK: The index of the log

/// The memory of a region; NULL if it does not exist and is not to be created, or there is no memory.
static void *region(database *database, int place, int size, bool makes) {
    if (place >= REGIONS_MAX) return NULL;
    while (makes && database->regions_count <= place) {
        void **grown = realloc(database->regions, sizeof(void *) * (size_t)(database->regions_count + 1));
        if (grown) database->regions = grown;
        void *made = grown ? calloc(1, (size_t)size) : NULL;
        if (!made) return NULL;
        database->regions[database->regions_count++] = made;
    }
    return place < database->regions_count ? database->regions[place] : NULL;
}

/// The index begins with a header of 34 words. Each region has 4096 words of page numbers in the order of their frames (in
/// the first region the header is a part of them), and a hash table of the numbers. (SQLite, "WAL-mode File Format", 2.3.)
enum { INDEX_HEADER_WORDS = 34, REGION_PAGES = 4096 };

uint32_t pagecipher_indexed_page(database *database, int64_t frame) {
    int64_t place = INDEX_HEADER_WORDS + frame - 1;
    pthread_mutex_lock(&database->mutex);
    bool is_there = place / REGION_PAGES < database->regions_count;
    uint32_t *pages = is_there ? database->regions[place / REGION_PAGES] : NULL;
    uint32_t number = pages ? __atomic_load_n(pages + place % REGION_PAGES, __ATOMIC_RELAXED) : 0;
    pthread_mutex_unlock(&database->mutex);
    return number;
}

static int shared_memory_map(sqlite3_file *base, int place, int size, int extends, void volatile **memory) {
    cipherfile *self = (cipherfile *)base;
    database *database = self->database;
    if (!self->has_shared_memory) {
        // Maps the underlying file for its locks.
        void volatile *unused = NULL;
        int code = self->real->pMethods->xShmMap(self->real, 0, size, true, &unused);
        if (code != SQLITE_OK) return code;
        pthread_mutex_lock(&database->mutex);
        database->regions_users++;
        pthread_mutex_unlock(&database->mutex);
        self->has_shared_memory = true;
    }
    pthread_mutex_lock(&database->mutex);
    *memory = region(database, place, size, extends);
    pthread_mutex_unlock(&database->mutex);
    return *memory || !extends ? SQLITE_OK : SQLITE_NOMEM;
}

static int shared_memory_lock(sqlite3_file *base, int offset, int count, int flags) {
    cipherfile *self = (cipherfile *)base;
    int code = self->real->pMethods->xShmLock(self->real, offset, count, flags);
    // The first of SQLite's locks is that of writers.
    bool is_writer = offset == 0 && flags == (SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE);
    if (code == SQLITE_OK && is_writer) atomic_fetch_add(&self->database->write_turn, 1);
    return code;
}

static void shared_memory_barrier(sqlite3_file *base) {
    cipherfile *self = (cipherfile *)base;
    atomic_thread_fence(memory_order_seq_cst);
    self->real->pMethods->xShmBarrier(self->real);
}

static int shared_memory_unmap(sqlite3_file *base, int deletes) {
    cipherfile *self = (cipherfile *)base;
    if (!self->has_shared_memory) return SQLITE_OK;
    self->has_shared_memory = false;
    database *database = self->database;
    pthread_mutex_lock(&database->mutex);
    if (--database->regions_users == 0) {
        for (int place = 0; place < database->regions_count; place++) free(database->regions[place]);
        free(database->regions);
        database->regions = NULL;
        database->regions_count = 0;
    }
    pthread_mutex_unlock(&database->mutex);
    return self->real->pMethods->xShmUnmap(self->real, deletes);
}

const sqlite3_io_methods pagecipher_database_methods = {
    // Not version 3: its methods map pages of the file into memory.
    .iVersion = 2,
    .xClose = pagecipher_file_close,
    .xRead = database_read,
    .xWrite = database_write,
    .xTruncate = pagecipher_file_truncate,
    .xSync = pagecipher_file_sync,
    .xFileSize = pagecipher_file_size,
    .xLock = pagecipher_file_lock,
    .xUnlock = pagecipher_file_unlock,
    .xCheckReservedLock = pagecipher_file_check_reserved,
    .xFileControl = database_control,
    .xSectorSize = pagecipher_file_sector_size,
    .xDeviceCharacteristics = pagecipher_file_characteristics,
    .xShmMap = shared_memory_map,
    .xShmLock = shared_memory_lock,
    .xShmBarrier = shared_memory_barrier,
    .xShmUnmap = shared_memory_unmap,
};

// MARK: Pages past SQLite's cache

/// The file of an open database.
static int file_of(void *handle, cipherfile **file) {
    sqlite3_file *base = NULL;
    int code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &base);
    if (code != SQLITE_OK) return code;
    if (!base || base->pMethods != &pagecipher_database_methods) return SQLITE_NOTFOUND;
    *file = (cipherfile *)base;
    return SQLITE_OK;
}

int pagecipher_check_page(void *handle, uint32_t number) {
    cipherfile *self = NULL;
    int code = file_of(handle, &self);
    if (code != SQLITE_OK) return code;
    uint8_t *page = sqlite3_malloc64(self->cipher->format.page_bytes);
    if (!page) return SQLITE_NOMEM;
    code = read_page(self, number, page);
    if (code == PAGECIPHER_DAMAGED && pagecipher_is_blank(self->scratch, self->cipher->format.page_bytes)) code = SQLITE_EMPTY;
    // Beyond the end.
    if (code == SQLITE_IOERR_SHORT_READ) code = SQLITE_OK;
    godwit_wipe(page, self->cipher->format.page_bytes);
    sqlite3_free(page);
    return code;
}

/// Reads a page and writes it to another file; the page of the locks is not copied.
static int copy_page(cipherfile *from, cipherfile *to, uint32_t number, uint8_t *page) {
    uint32_t page_bytes = from->cipher->format.page_bytes;
    if (number == LOCKS_OFFSET / page_bytes + 1) return SQLITE_OK;
    int code = read_page(from, number, page);
    if (code != SQLITE_OK) return code;
    return database_write(&to->base, page, (int)page_bytes, (int64_t)(number - 1) * page_bytes);
}

int pagecipher_copy_pages(void *source, void *target, uint32_t first, uint32_t count) {
    cipherfile *from = NULL, *to = NULL;
    int code = file_of(source, &from);
    if (code == SQLITE_OK) code = file_of(target, &to);
    if (code != SQLITE_OK) return code;
    uint32_t page_bytes = from->cipher->format.page_bytes;
    if (to->cipher->format.page_bytes != page_bytes) return PAGECIPHER_UNFIT;
    uint8_t *page = sqlite3_malloc64(page_bytes);
    if (!page) return SQLITE_NOMEM;
    for (uint32_t place = 0; code == SQLITE_OK && place < count; place++) code = copy_page(from, to, first + place, page);
    godwit_wipe(page, page_bytes);
    sqlite3_free(page);
    return code == SQLITE_OK ? to->real->pMethods->xSync(to->real, SQLITE_SYNC_NORMAL) : code;
}
