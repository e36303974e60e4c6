//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef PAGECIPHER_H
#define PAGECIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An interface of SQLite to the disk ("VFS") that encrypts all data, with one key or passphrase.
typedef struct pagecipher pagecipher;

/// The kind of secret for the encryption.
enum pagecipher_secret {
    /// A text from which a key is derived for each file.
    PAGECIPHER_PASSPHRASE,
    /// The 32 bytes of a key.
    PAGECIPHER_KEY,
};

/// The format of encrypted files.
enum pagecipher_version {
    /// SQLCipher 4, the format of Godwit's files.
    PAGECIPHER_SQLCIPHER_4,
    /// SQLCipher 3, with HMAC-SHA-1 and 64 000 rounds for a passphrase. Its pages have 1024 bytes by default.
    PAGECIPHER_SQLCIPHER_3,
};

enum {
    PAGECIPHER_KEY_BYTES = 32,
    PAGECIPHER_SALT_BYTES = 16,
    /// The default size of pages; the file does not contain it in the clear.
    PAGECIPHER_PAGE_BYTES = 4096,
};

/// Results of opening a file, as extensions of SQLite's.
enum {
    /// SQLITE_NOTADB: a plain database.
    PAGECIPHER_PLAIN = 26 | (1 << 8),
    /// SQLITE_NOTADB: the key matches no page.
    PAGECIPHER_WRONG_KEY = 26 | (2 << 8),
    /// SQLITE_IOERR_DATA: a page that does not match its authentication code.
    PAGECIPHER_DAMAGED = 10 | (32 << 8),
    /// SQLITE_MISUSE: a page of another size or without space for its code.
    PAGECIPHER_UNFIT = 21 | (1 << 8),
};

/// Creates an interface and registers it with SQLite.
///
/// \param name Its name in SQLite.
/// \param under The name of the underlying interface; NULL for the system's.
/// \param page_bytes The size of a page, a power of two from 1024 to 65 536.
/// \returns NULL if there is no memory, the underlying interface does not exist, or the secret is not a valid key.
pagecipher *pagecipher_make(const char *name, const char *under, enum pagecipher_secret kind, const void *secret,
                            size_t length, enum pagecipher_version version, uint32_t page_bytes);

/// The size of the end of each page: its initialization vector and its authentication code. Byte 20 of a database
/// contains this number.
uint32_t pagecipher_reserved_bytes(enum pagecipher_version version);

/// Unregisters an interface and erases its keys. None of its files may be open.
void pagecipher_free(pagecipher *cipher);

/// Whether an interface was created with this secret, in constant time.
bool pagecipher_is_made_with(const pagecipher *cipher, enum pagecipher_secret kind, const void *secret, size_t length);

/// Encrypts the pages of a complete database in place, with a new salt.
///
/// \param length A multiple of the size of a page. Byte 20 must be `pagecipher_reserved_bytes`.
/// \returns Whether it succeeded.
bool pagecipher_seal(pagecipher *cipher, uint8_t *image, size_t length);

/// Derives the key of a file as SQLCipher 4 does.
bool pagecipher_derive(const void *passphrase, size_t length, const uint8_t salt[PAGECIPHER_SALT_BYTES],
                       uint8_t key[PAGECIPHER_KEY_BYTES]);

/// The last page that this thread read and that does not match its code, and whether it was in a log; 0 if there is
/// none.
uint32_t pagecipher_damaged_page(bool *in_log);

/// Checks the code of a page of an open database's file, without SQLite's cache.
///
/// \param database SQLite's handle (`sqlite3 *`).
/// \returns SQLITE_OK, PAGECIPHER_DAMAGED, SQLITE_EMPTY for a page of zeros, which is damage unless the log contains
///   the page, SQLITE_NOTFOUND if the database is not encrypted, or the disk's error.
int pagecipher_check_page(void *database, uint32_t page);

/// Copies pages of an open database's file to another's: each is checked, decrypted and encrypted with the other's key,
/// without SQLite's caches and logs. Then flushes the other file. Neither may be written meanwhile.
///
/// \param source, target SQLite's handles (`sqlite3 *`).
/// \param first The first page, from 1 on.
/// \returns SQLITE_OK, PAGECIPHER_DAMAGED, SQLITE_NOTFOUND if one is not encrypted, PAGECIPHER_UNFIT if their pages
///   have different sizes, or the disk's error.
int pagecipher_copy_pages(void *source, void *target, uint32_t first, uint32_t count);

/// Makes SQLite overwrite pages in memory before it frees them.
///
/// \returns Whether it succeeded: it fails if SQLite was used before.
bool pagecipher_wipe_freed_pages(void);

#endif
