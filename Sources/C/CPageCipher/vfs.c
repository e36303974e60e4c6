//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The interface that SQLite calls, one for each key or passphrase: its files and their keys.
//
// Keys belong to a database and are created when its first connection opens it: the salt is the file's, or a new one
// for an empty file. Keys derived from a passphrase are cached, since a derivation takes a fifth of a second, and
// further connections, or the same file later, need them again.
//
// Opening fails if the key matches no page. The first page is checked; if it fails, others are, also those of the log
// and the journal: a torn first page is repaired from there, and does not mean a wrong key.

#include "files.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES_MIN = 1024, PAGE_BYTES_MAX = 65536, DERIVED_MAX = 1024 };
enum { LOG_FIRST_PAGE = 32 + FRAME_HEADER_BYTES, JOURNAL_FIRST_PAGE = 512 + 4 };

// MARK: Keys

/// The cached key of a salt. The mutex is held.
static derived *find_derived(pagecipher *cipher, const uint8_t *salt) {
    derived *found = cipher->derived;
    while (found && memcmp(found->keys.salt, salt, PAGECIPHER_SALT_BYTES) != 0) found = found->next;
    return found;
}

/// Removes the oldest cached keys until `kept` remain. The mutex is held.
static void forget_derived(pagecipher *cipher, int kept) {
    derived **place = &cipher->derived;
    while (*place && kept-- > 0) place = &(*place)->next;
    while (*place) {
        derived *old = *place;
        *place = old->next;
        godwit_wipe(old, sizeof(*old));
        free(old);
    }
}

static bool derive_once(pagecipher *cipher, filekey *keys) {
    derived *found = find_derived(cipher, keys->salt);
    if (found) {
        *keys = found->keys;
        return true;
    }
    derived *made = calloc(1, sizeof(derived));
    if (!made || !pagecipher_derive_for(&cipher->format, cipher->secret, cipher->length, keys)) {
        free(made);
        return false;
    }
    forget_derived(cipher, DERIVED_MAX - 1);
    made->keys = *keys;
    made->next = cipher->derived;
    cipher->derived = made;
    return true;
}

/// Completes the keys of a file whose salt is known.
static bool make_keys(pagecipher *cipher, filekey *keys) {
    if (cipher->kind == PAGECIPHER_KEY) {
        memcpy(keys->key, cipher->secret, KEY_BYTES);
        return true;
    }
    pthread_mutex_lock(&cipher->mutex);
    bool is_done = derive_once(cipher, keys);
    pthread_mutex_unlock(&cipher->mutex);
    return is_done;
}

// MARK: Databases

// One list for all interfaces: two that have the same file open must share the state of its connections.
static pthread_mutex_t databases_mutex = PTHREAD_MUTEX_INITIALIZER;
static database *databases;

/// A database by its path, with its reference count increased; NULL if it is not open.
static database *find_database(const char *path) {
    pthread_mutex_lock(&databases_mutex);
    database *found = databases;
    while (found && strcmp(found->path, path) != 0) found = found->next;
    if (found) found->files++;
    pthread_mutex_unlock(&databases_mutex);
    return found;
}

static void free_database(database *database) {
    godwit_wipe(&database->keys, sizeof(database->keys));
    godwit_wipe(database->passing_plain, database->format.page_bytes);
    free(database->passing_plain);
    free(database->passing_sealed);
    pthread_mutex_destroy(&database->mutex);
    free(database->path);
    free(database);
}

static void give_back_database(database *database) {
    pthread_mutex_lock(&databases_mutex);
    bool is_last = --database->files == 0;
    struct database **place = &databases;
    while (is_last && *place != database) place = &(*place)->next;
    if (is_last) *place = database->next;
    pthread_mutex_unlock(&databases_mutex);
    if (is_last) free_database(database);
}

static database *make_database(const char *path, const filekey *keys, const pageformat *format) {
    database *made = calloc(1, sizeof(database));
    if (!made) return NULL;
    made->path = strdup(path);
    made->files = 1;
    made->keys = *keys;
    made->format = *format;
    pthread_mutex_init(&made->mutex, NULL);
    if (made->path) return made;
    free_database(made);
    return NULL;
}

/// Adds a database to the list, unless another thread has added its path first.
static bool add_database(database *made) {
    pthread_mutex_lock(&databases_mutex);
    database *found = databases;
    while (found && strcmp(found->path, made->path) != 0) found = found->next;
    if (!found) {
        made->next = databases;
        databases = made;
    }
    pthread_mutex_unlock(&databases_mutex);
    return !found;
}

/// Adds a connection to an open database, if the key is the same.
static int join_database(pagecipher *cipher, database *found) {
    filekey keys;
    memcpy(keys.salt, found->keys.salt, PAGECIPHER_SALT_BYTES);
    int code = make_keys(cipher, &keys) ? SQLITE_OK : SQLITE_NOMEM;
    bool is_same = found->format.page_bytes == cipher->format.page_bytes
        && found->format.digest == cipher->format.digest && godwit_equal(found->keys.key, keys.key, KEY_BYTES);
    if (code == SQLITE_OK && !is_same) code = PAGECIPHER_WRONG_KEY;
    if (code != SQLITE_OK) give_back_database(found);
    godwit_wipe(&keys, sizeof(keys));
    return code;
}

/// Opens a database: an open one with its connections, or a new one with the key of its salt.
static int take_database(pagecipher *cipher, const char *path, const uint8_t *salt, database **taken) {
    filekey keys;
    memcpy(keys.salt, salt, PAGECIPHER_SALT_BYTES);
    int code = SQLITE_OK;
    for (bool is_taken = false; code == SQLITE_OK && !is_taken;) {
        *taken = find_database(path);
        if (*taken) {
            code = join_database(cipher, *taken);
            break;
        }
        *taken = make_keys(cipher, &keys) ? make_database(path, &keys, &cipher->format) : NULL;
        if (!*taken) code = SQLITE_NOMEM;
        else if (!(is_taken = add_database(*taken))) free_database(*taken);
    }
    godwit_wipe(&keys, sizeof(keys));
    return code;
}

// MARK: Opening and closing

int pagecipher_file_close(sqlite3_file *base) {
    cipherfile *self = (cipherfile *)base;
    int code = self->real->pMethods ? self->real->pMethods->xClose(self->real) : SQLITE_OK;
    pagecipher_sealer_free(self->sealer);
    pagecipher_scrambler_free(self->temporary.scrambler);
    if (self->database) give_back_database(self->database);
    free(self->scratch);
    self->base.pMethods = NULL;
    return code;
}

/// Prepares the members that every file of a database needs.
static int prepare(cipherfile *self, database *database) {
    self->database = database;
    self->scratch = malloc(FRAME_HEADER_BYTES + self->cipher->format.page_bytes);
    self->sealer = pagecipher_sealer_of(&database->format, &database->keys);
    return self->scratch && self->sealer ? SQLITE_OK : SQLITE_NOMEM;
}

/// Whether the key matches a page at an offset of a file.
static bool answers(cipherfile *self, sqlite3_file *real, int64_t offset, uint32_t number, uint8_t *plain) {
    int count = (int)self->cipher->format.page_bytes;
    return number > 0 && real->pMethods->xRead(real, self->scratch, count, offset) == SQLITE_OK
        && pagecipher_page_open(&self->cipher->format, self->sealer, number, self->scratch, plain);
}

/// Whether the key matches the first page of a log or a journal.
///
/// \param offset The offset of the page.
/// \param number_offset The offset of its number.
static bool answers_beside(cipherfile *self, const char *name, int flags, int64_t offset, int64_t number_offset,
                           uint8_t *plain) {
    sqlite3_vfs *under = self->cipher->under;
    int exists = 0;
    if (!name || under->xAccess(under, name, SQLITE_ACCESS_EXISTS, &exists) != SQLITE_OK || !exists) return false;
    sqlite3_file *real = calloc(1, (size_t)under->szOsFile);
    bool result = false;
    if (real && under->xOpen(under, name, real, flags | SQLITE_OPEN_READONLY, NULL) == SQLITE_OK) {
        uint8_t word[4];
        uint32_t number = 0;
        if (real->pMethods->xRead(real, word, sizeof(word), number_offset) == SQLITE_OK)
            number = (uint32_t)word[0] << 24 | (uint32_t)word[1] << 16 | (uint32_t)word[2] << 8 | word[3];
        result = answers(self, real, offset, number, plain);
        real->pMethods->xClose(real);
    }
    free(real);
    return result;
}

/// Whether a journal shows that the database was empty before, and will be again: then the key cannot be checked.
static bool will_be_empty(cipherfile *self, const char *name) {
    static const uint8_t magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    enum { SIZE_OFFSET = 16, HEAD_BYTES = 20 };
    sqlite3_vfs *under = self->cipher->under;
    int exists = 0;
    if (under->xAccess(under, name, SQLITE_ACCESS_EXISTS, &exists) != SQLITE_OK || !exists) return false;
    sqlite3_file *real = calloc(1, (size_t)under->szOsFile);
    bool result = false;
    if (real && under->xOpen(under, name, real, SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_READONLY, NULL) == SQLITE_OK) {
        uint8_t head[HEAD_BYTES];
        result = real->pMethods->xRead(real, head, HEAD_BYTES, 0) == SQLITE_OK && memcmp(head, magic, sizeof(magic)) == 0
            && pagecipher_is_blank(head + SIZE_OFFSET, HEAD_BYTES - SIZE_OFFSET);
        real->pMethods->xClose(real);
    }
    free(real);
    return result;
}

/// Whether the key matches any of the pages that it should match.
static bool is_right_key(cipherfile *self, const char *name, uint8_t *plain) {
    return answers(self, self->real, 0, 1, plain) || answers(self, self->real, self->cipher->format.page_bytes, 2, plain)
        || answers_beside(self, sqlite3_filename_wal(name), SQLITE_OPEN_WAL, LOG_FIRST_PAGE,
                          LOG_FIRST_PAGE - FRAME_HEADER_BYTES, plain)
        || answers_beside(self, sqlite3_filename_journal(name), SQLITE_OPEN_MAIN_JOURNAL, JOURNAL_FIRST_PAGE,
                          JOURNAL_FIRST_PAGE - 4, plain);
}

static int check_key(cipherfile *self, const char *name) {
    uint8_t *plain = malloc(self->cipher->format.page_bytes);
    if (!plain) return SQLITE_NOMEM;
    bool is_right = is_right_key(self, name, plain) || will_be_empty(self, sqlite3_filename_journal(name));
    godwit_wipe(plain, self->cipher->format.page_bytes);
    free(plain);
    return is_right ? SQLITE_OK : PAGECIPHER_WRONG_KEY;
}

/// Reads the salt of a file, or creates one for an empty file.
static int find_salt(cipherfile *self, uint8_t salt[PAGECIPHER_SALT_BYTES], bool *is_new) {
    sqlite3_int64 size = 0;
    int code = self->real->pMethods->xFileSize(self->real, &size);
    *is_new = size == 0;
    if (code != SQLITE_OK) return code;
    if (*is_new) return pagecipher_random(salt, PAGECIPHER_SALT_BYTES) ? SQLITE_OK : SQLITE_NOMEM;
    code = self->real->pMethods->xRead(self->real, salt, PAGECIPHER_SALT_BYTES, 0);
    if (code == SQLITE_IOERR_SHORT_READ) return PAGECIPHER_WRONG_KEY;
    static const uint8_t plain[PAGECIPHER_SALT_BYTES] = "SQLite format 3";
    return code == SQLITE_OK && memcmp(salt, plain, sizeof(plain)) == 0 ? PAGECIPHER_PLAIN : code;
}

static int open_database(cipherfile *self, const char *name) {
    uint8_t salt[PAGECIPHER_SALT_BYTES];
    bool is_new = false;
    int code = find_salt(self, salt, &is_new);
    if (code != SQLITE_OK) return code;
    database *database = NULL;
    code = take_database(self->cipher, name, salt, &database);
    if (code == SQLITE_OK) code = prepare(self, database);
    return code == SQLITE_OK && !is_new ? check_key(self, name) : code;
}

static int open_beside(cipherfile *self, const char *name) {
    database *database = find_database(sqlite3_filename_database(name));
    if (!database) return SQLITE_CANTOPEN;
    self->journal.end = -1;
    return prepare(self, database);
}

static int open_temporary(cipherfile *self) {
    uint8_t key[TWEAKED_KEY_BYTES];
    if (!pagecipher_random(key, sizeof(key))) return SQLITE_NOMEM;
    self->temporary.scrambler = pagecipher_scrambler_make(key);
    godwit_wipe(key, sizeof(key));
    return self->temporary.scrambler ? SQLITE_OK : SQLITE_NOMEM;
}

/// The kinds of files that belong to one connection.
enum {
    TEMPORARY_KINDS = SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_SUBJOURNAL
};

static const sqlite3_io_methods *methods_for(int flags) {
    if (flags & SQLITE_OPEN_MAIN_DB) return &pagecipher_database_methods;
    if (flags & SQLITE_OPEN_WAL) return &pagecipher_log_methods;
    if (flags & SQLITE_OPEN_MAIN_JOURNAL) return &pagecipher_journal_methods;
    return flags & TEMPORARY_KINDS ? &pagecipher_temporary_methods : NULL;
}

static int cipher_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags, int *flags_out) {
    pagecipher *cipher = vfs->pAppData;
    cipherfile *self = (cipherfile *)base;
    const sqlite3_io_methods *methods = methods_for(flags);
    *self = (cipherfile){.cipher = cipher, .real = (sqlite3_file *)(self + 1)};
    self->real->pMethods = NULL;
    if (!methods) return SQLITE_CANTOPEN;
    int code = cipher->under->xOpen(cipher->under, name, self->real, flags, flags_out);
    if (code != SQLITE_OK) return code;
    if (methods == &pagecipher_database_methods) code = open_database(self, name);
    else if (methods == &pagecipher_temporary_methods) code = open_temporary(self);
    else code = open_beside(self, name);
    if (code == SQLITE_OK) self->base.pMethods = methods;
    else pagecipher_file_close(base);
    return code;
}

// MARK: Methods that are passed on

static sqlite3_vfs *under(sqlite3_vfs *vfs) { return ((pagecipher *)vfs->pAppData)->under; }

static int cipher_delete(sqlite3_vfs *vfs, const char *name, int flushes) {
    return under(vfs)->xDelete(under(vfs), name, flushes);
}

static int cipher_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    return under(vfs)->xAccess(under(vfs), name, flags, result);
}

static int cipher_full_path(sqlite3_vfs *vfs, const char *name, int count, char *result) {
    return under(vfs)->xFullPathname(under(vfs), name, count, result);
}

static int cipher_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    return under(vfs)->xRandomness(under(vfs), count, bytes);
}

static int cipher_sleep(sqlite3_vfs *vfs, int microseconds) { return under(vfs)->xSleep(under(vfs), microseconds); }

static int cipher_time(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    return under(vfs)->xCurrentTimeInt64(under(vfs), time);
}

static int cipher_last_error(sqlite3_vfs *vfs, int count, char *message) {
    return under(vfs)->xGetLastError(under(vfs), count, message);
}

// MARK: Making one

static bool is_page_size(uint32_t bytes) {
    return bytes >= PAGE_BYTES_MIN && bytes <= PAGE_BYTES_MAX && (bytes & (bytes - 1)) == 0;
}

pagecipher *pagecipher_make(const char *name, const char *under, enum pagecipher_secret kind, const void *secret,
                            size_t length, enum pagecipher_version version, uint32_t page_bytes) {
    if (!is_page_size(page_bytes) || (kind == PAGECIPHER_KEY && length != KEY_BYTES)) return NULL;
    sqlite3_vfs *found = sqlite3_vfs_find(under);
    pagecipher *made = found ? calloc(1, sizeof(pagecipher)) : NULL;
    if (!made) return NULL;
    *made = (pagecipher){
        .under = found, .kind = kind, .length = length, .format = pagecipher_format_of(version, page_bytes)};
    pthread_mutex_init(&made->mutex, NULL);
    made->name = strdup(name);
    made->secret = malloc(length ? length : 1);
    if (made->secret) memcpy(made->secret, secret, length);
    made->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = (int)sizeof(cipherfile) + found->szOsFile,
        .mxPathname = found->mxPathname,
        .zName = made->name,
        .pAppData = made,
        .xOpen = cipher_open,
        .xDelete = cipher_delete,
        .xAccess = cipher_access,
        .xFullPathname = cipher_full_path,
        .xRandomness = cipher_randomness,
        .xSleep = cipher_sleep,
        .xGetLastError = cipher_last_error,
        .xCurrentTimeInt64 = cipher_time,
    };
    if (made->name && made->secret && sqlite3_vfs_register(&made->vfs, false) == SQLITE_OK) return made;
    pagecipher_free(made);
    return NULL;
}

void pagecipher_free(pagecipher *cipher) {
    if (!cipher) return;
    sqlite3_vfs_unregister(&cipher->vfs);
    forget_derived(cipher, 0);
    if (cipher->secret) godwit_wipe(cipher->secret, cipher->length);
    free(cipher->secret);
    free(cipher->name);
    pthread_mutex_destroy(&cipher->mutex);
    free(cipher);
}

bool pagecipher_is_made_with(const pagecipher *cipher, enum pagecipher_secret kind, const void *secret, size_t length) {
    return kind == cipher->kind && length == cipher->length && godwit_equal(secret, cipher->secret, length);
}

bool pagecipher_seal(pagecipher *cipher, uint8_t *image, size_t length) {
    uint32_t page_bytes = cipher->format.page_bytes;
    filekey keys;
    if (length % page_bytes || !pagecipher_random(keys.salt, sizeof(keys.salt))) return false;
    sealer *sealer = make_keys(cipher, &keys) ? pagecipher_sealer_of(&cipher->format, &keys) : NULL;
    uint8_t *sealed = malloc(page_bytes);
    bool is_done = sealer && sealed;
    for (size_t offset = 0; is_done && offset < length; offset += page_bytes) {
        uint32_t number = (uint32_t)(offset / page_bytes) + 1;
        is_done = pagecipher_page_seal(&cipher->format, sealer, &keys, number, image + offset, sealed);
        if (is_done) memcpy(image + offset, sealed, page_bytes);
    }
    free(sealed);
    pagecipher_sealer_free(sealer);
    godwit_wipe(&keys, sizeof(keys));
    return is_done;
}
