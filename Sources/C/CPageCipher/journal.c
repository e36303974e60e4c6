//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// A rollback journal: headers of 512 bytes and records. A record has a page's number (4 bytes), the page before the
// change, and a sum of some of its bytes (4 bytes) over a random start. (SQLite, "Database File Format", 3.)
//
// SQLite writes and reads a record in three consecutive calls, and no other call has the length of a page. So a page's
// number is the end of the call before it, and four bytes right after a page are its sum. The sum on the disk is of the
// encrypted page: it differs from SQLite's sum by the difference of the summed bytes, for any random start. Headers are
// not interpreted, because they are not reliable: the first one is written empty, and older ones are read again when a
// savepoint is rolled back.

#include "files.h"

#include <string.h>

enum { WORD_BYTES = 4, SUM_STEP = 200 };

/// A value that the bytes of a sum cannot compensate.
static const uint32_t NO_DIFFERENCE = 1u << 31;

static uint32_t word(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void put_word(uint8_t *bytes, uint32_t value) {
    for (int place = 0; place < WORD_BYTES; place++) bytes[place] = (uint8_t)(value >> (24 - 8 * place));
}

/// The contribution of a page's bytes to its sum (SQLite's `pager_cksum`).
static uint32_t page_sum(const uint8_t *page, uint32_t page_bytes) {
    uint32_t sum = 0;
    for (uint32_t place = page_bytes - SUM_STEP; place > 0 && place < page_bytes; place -= SUM_STEP) sum += page[place];
    return sum;
}

static void forget_call(cipherfile *self) {
    self->journal.end = -1;
    self->journal.was_page = false;
}

static void remember_call(cipherfile *self, int64_t end, bool was_page, uint32_t value) {
    self->journal.end = end;
    self->journal.was_page = was_page;
    if (was_page) self->journal.difference = value;
    else self->journal.number = value;
}

/// The number of the page at an offset: the four bytes before it.
static int page_number(cipherfile *self, int64_t offset, uint32_t *number) {
    if (self->journal.end == offset && !self->journal.was_page) {
        *number = self->journal.number;
        return SQLITE_OK;
    }
    uint8_t bytes[WORD_BYTES];
    int code = self->real->pMethods->xRead(self->real, bytes, WORD_BYTES, offset - WORD_BYTES);
    *number = word(bytes);
    return code;
}

static int read_page(cipherfile *self, uint8_t *page, int64_t offset) {
    uint32_t page_bytes = self->cipher->format.page_bytes, number = 0;
    int code = page_number(self, offset, &number);
    if (code == SQLITE_OK) code = self->real->pMethods->xRead(self->real, self->scratch, (int)page_bytes, offset);
    forget_call(self);
    if (code != SQLITE_OK) return code;
    bool is_whole = pagecipher_page_open(&self->cipher->format, self->sealer, number, self->scratch, page);
    // A rollback of a savepoint does not check sums, and pages that were written since the journal was opened are not
    // torn.
    if (!is_whole && self->journal.has_written) return pagecipher_note_damage(number, true);
    if (!is_whole) memset(page, 0, page_bytes);
    uint32_t difference = page_sum(self->scratch, page_bytes) - page_sum(page, page_bytes);
    // A page that was torn by a loss of power: its sum must not fit, so that SQLite ends the playback there.
    if (!is_whole) difference = NO_DIFFERENCE;
    remember_call(self, offset + page_bytes, true, difference);
    return SQLITE_OK;
}

static int journal_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    cipherfile *self = (cipherfile *)base;
    if ((uint32_t)count == self->cipher->format.page_bytes) return read_page(self, bytes, offset);
    bool is_sum = count == WORD_BYTES && self->journal.was_page && self->journal.end == offset;
    uint32_t difference = self->journal.difference;
    int code = self->real->pMethods->xRead(self->real, bytes, count, offset);
    forget_call(self);
    if (code != SQLITE_OK || count != WORD_BYTES) return code;
    if (is_sum) put_word(bytes, word(bytes) - difference);
    else remember_call(self, offset + WORD_BYTES, false, word(bytes));
    return SQLITE_OK;
}

static int write_page(cipherfile *self, const uint8_t *page, int64_t offset) {
    uint32_t page_bytes = self->cipher->format.page_bytes, number = 0;
    int code = page_number(self, offset, &number);
    forget_call(self);
    if (code != SQLITE_OK) return code;
    if (!pagecipher_page_seal(&self->cipher->format, self->sealer, &self->database->keys, number, page, self->scratch))
        return SQLITE_NOMEM;
    self->journal.has_written = true;
    code = self->real->pMethods->xWrite(self->real, self->scratch, (int)page_bytes, offset);
    uint32_t difference = page_sum(self->scratch, page_bytes) - page_sum(page, page_bytes);
    if (code == SQLITE_OK) remember_call(self, offset + page_bytes, true, difference);
    return code;
}

static int journal_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    cipherfile *self = (cipherfile *)base;
    if ((uint32_t)count == self->cipher->format.page_bytes) return write_page(self, bytes, offset);
    bool is_sum = count == WORD_BYTES && self->journal.was_page && self->journal.end == offset;
    uint8_t sum[WORD_BYTES];
    if (is_sum) put_word(sum, word(bytes) + self->journal.difference);
    int code = self->real->pMethods->xWrite(self->real, is_sum ? sum : bytes, count, offset);
    forget_call(self);
    if (code == SQLITE_OK && count == WORD_BYTES && !is_sum)
        remember_call(self, offset + WORD_BYTES, false, word(bytes));
    return code;
}

const sqlite3_io_methods pagecipher_journal_methods = {
    .iVersion = 1,
    .xClose = pagecipher_file_close,
    .xRead = journal_read,
    .xWrite = journal_write,
    .xTruncate = pagecipher_file_truncate,
    .xSync = pagecipher_file_sync,
    .xFileSize = pagecipher_file_size,
    .xLock = pagecipher_file_lock,
    .xUnlock = pagecipher_file_unlock,
    .xCheckReservedLock = pagecipher_file_check_reserved,
    .xFileControl = pagecipher_file_control,
    .xSectorSize = pagecipher_file_sector_size,
    .xDeviceCharacteristics = pagecipher_file_characteristics,
};
