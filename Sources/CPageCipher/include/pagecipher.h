//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef PAGECIPHER_H
#define PAGECIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An interface of SQLite to the disk ("VFS") that encrypts what goes through it, with one key or passphrase.
typedef struct pagecipher pagecipher;

/// What the pages are encrypted with.
enum pagecipher_secret {
    /// A text of which a key is derived for each file, by 256 000 rounds.
    PAGECIPHER_PASSPHRASE,
    /// The 32 bytes of a key.
    PAGECIPHER_KEY,
};

enum {
    PAGECIPHER_KEY_BYTES = 32,
    PAGECIPHER_SALT_BYTES = 16,
    /// What each page ends in: its initialization vector and its authentication code. Byte 20 of a database says so.
    PAGECIPHER_RESERVED_BYTES = 80,
    /// The size of pages unless told otherwise; it is not in the clear.
    PAGECIPHER_PAGE_BYTES = 4096,
};

/// Results of opening a file, as extensions of SQLite's.
enum {
    /// SQLITE_NOTADB: a plain database.
    PAGECIPHER_PLAIN = 26 | (1 << 8),
    /// SQLITE_NOTADB: no page answers to the key.
    PAGECIPHER_WRONG_KEY = 26 | (2 << 8),
    /// SQLITE_IOERR_DATA: a page that does not match its authentication code.
    PAGECIPHER_DAMAGED = 10 | (32 << 8),
    /// SQLITE_MISUSE: a page of another size or without room for its code.
    PAGECIPHER_UNFIT = 21 | (1 << 8),
};

/// Makes an interface and registers it with SQLite.
///
/// \param name What SQLite knows it as.
/// \param under The name of the interface that it stands on; NULL for the system's.
/// \param page_bytes The size of a page, a power of two from 1024 to 65 536.
/// \returns NULL when there is no memory, no such interface, or the secret is no key.
pagecipher *pagecipher_make(const char *name, const char *under, enum pagecipher_secret kind, const void *secret,
                            size_t length, uint32_t page_bytes);

/// Takes an interface from SQLite and wipes its keys. No file of it may be open.
void pagecipher_free(pagecipher *cipher);

/// Whether this is the secret that an interface was made with, in a time that does not tell where they differ.
bool pagecipher_is_made_with(const pagecipher *cipher, enum pagecipher_secret kind, const void *secret, size_t length);

/// Encrypts the pages of a whole database in place, under a salt of its own.
///
/// \param length A multiple of the size of a page. Byte 20 must be `PAGECIPHER_RESERVED_BYTES`.
/// \returns Whether that was possible.
bool pagecipher_seal(pagecipher *cipher, uint8_t *image, size_t length);

/// Derives the key of a file as SQLCipher 4 does.
bool pagecipher_derive(const void *passphrase, size_t length, const uint8_t salt[PAGECIPHER_SALT_BYTES],
                       uint8_t key[PAGECIPHER_KEY_BYTES]);

/// The page that this thread met last which does not match its code, and whether it was in a log; 0 for none.
uint32_t pagecipher_damaged_page(bool *in_log);

/// Checks the code of a page of the file that an open database lies in, past SQLite's cache.
///
/// \param database SQLite's handle (`sqlite3 *`).
/// \returns SQLITE_OK, PAGECIPHER_DAMAGED, SQLITE_EMPTY for nothing but zeros, which is damage unless the page lies in the
/// log, SQLITE_NOTFOUND when the database is not encrypted, or what the disk says.
int pagecipher_check_page(void *database, uint32_t page);

/// Copies pages of the file that an open database lies in to that of another, each checked, decrypted and encrypted with the
/// other's key, past SQLite's caches and logs; then flushes the other file. Nobody may write to either meanwhile.
///
/// \param source, target SQLite's handles (`sqlite3 *`).
/// \param first The first page, from 1 on.
/// \returns SQLITE_OK, PAGECIPHER_DAMAGED, SQLITE_NOTFOUND when one is not encrypted, PAGECIPHER_UNFIT when their pages are
/// of two sizes, or what the disk says.
int pagecipher_copy_pages(void *source, void *target, uint32_t first, uint32_t count);

/// Overwrites memory with zeros, whatever a compiler thinks of it.
void pagecipher_wipe(void *bytes, size_t length);

/// Has SQLite overwrite what it held of pages when it gives memory back.
///
/// \returns Whether it will: not when SQLite was used before.
bool pagecipher_wipe_freed_pages(void);

#endif
