//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// A temporary file: the data that a rollback to a savepoint needs, if it is too long for memory. SQLite reads and
// writes any number of bytes at any offset, so the file consists of sectors under AES-256-XTS with a separate key,
// which is freed with the file. The last sector on the disk is complete; the file's actual size is stored in memory.

#include "files.h"

#include <string.h>

enum { SECTOR_BYTES = 512 };

/// Reads a sector; bytes beyond the end are zeros.
static int read_sector(cipherfile *self, int64_t sector, uint8_t plain[SECTOR_BYTES]) {
    uint8_t sealed[SECTOR_BYTES];
    int64_t offset = sector * SECTOR_BYTES;
    if (offset >= self->temporary.size) {
        memset(plain, 0, SECTOR_BYTES);
        return SQLITE_OK;
    }
    int code = self->real->pMethods->xRead(self->real, sealed, SECTOR_BYTES, offset);
    if (code != SQLITE_OK) return code;
    // Never written, between two written sectors.
    if (pagecipher_is_blank(sealed, SECTOR_BYTES)) {
        memset(plain, 0, SECTOR_BYTES);
        return SQLITE_OK;
    }
    scrambler *scrambler = self->temporary.scrambler;
    bool is_done = pagecipher_scrambler_run(scrambler, false, (uint64_t)sector, sealed, plain, SECTOR_BYTES);
    return is_done ? SQLITE_OK : SQLITE_NOMEM;
}

static int write_sector(cipherfile *self, int64_t sector, const uint8_t plain[SECTOR_BYTES]) {
    uint8_t sealed[SECTOR_BYTES];
    scrambler *scrambler = self->temporary.scrambler;
    if (!pagecipher_scrambler_run(scrambler, true, (uint64_t)sector, plain, sealed, SECTOR_BYTES)) return SQLITE_NOMEM;
    return self->real->pMethods->xWrite(self->real, sealed, SECTOR_BYTES, sector * SECTOR_BYTES);
}

/// The part of a sector that a call reads or writes.
typedef struct {
    int64_t sector;
    int start, count;
} part;

static part part_at(int64_t offset, int count) {
    part found = {offset / SECTOR_BYTES, (int)(offset % SECTOR_BYTES), 0};
    int rest = SECTOR_BYTES - found.start;
    found.count = count < rest ? count : rest;
    return found;
}

static int temporary_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    cipherfile *self = (cipherfile *)base;
    uint8_t *to = bytes, plain[SECTOR_BYTES];
    int code = SQLITE_OK;
    bool is_short = offset + count > self->temporary.size;
    while (count > 0 && code == SQLITE_OK) {
        part part = part_at(offset, count);
        code = read_sector(self, part.sector, plain);
        memcpy(to, plain + part.start, (size_t)part.count);
        to += part.count;
        offset += part.count;
        count -= part.count;
    }
    godwit_wipe(plain, sizeof(plain));
    return code == SQLITE_OK && is_short ? SQLITE_IOERR_SHORT_READ : code;
}

static int temporary_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    cipherfile *self = (cipherfile *)base;
    const uint8_t *from = bytes;
    uint8_t plain[SECTOR_BYTES];
    int code = SQLITE_OK;
    while (count > 0 && code == SQLITE_OK) {
        part part = part_at(offset, count);
        if (part.count < SECTOR_BYTES) code = read_sector(self, part.sector, plain);
        memcpy(plain + part.start, from, (size_t)part.count);
        if (code == SQLITE_OK) code = write_sector(self, part.sector, plain);
        from += part.count;
        offset += part.count;
        count -= part.count;
        if (code == SQLITE_OK && offset > self->temporary.size) self->temporary.size = offset;
    }
    godwit_wipe(plain, sizeof(plain));
    return code;
}

/// Truncates the file. The rest of the last sector is filled with zeros, as later writes expect.
static int temporary_truncate(sqlite3_file *base, sqlite3_int64 size) {
    cipherfile *self = (cipherfile *)base;
    part last = part_at(size, 0);
    uint8_t plain[SECTOR_BYTES];
    int code = SQLITE_OK;
    if (size < self->temporary.size && last.start > 0) {
        code = read_sector(self, last.sector, plain);
        memset(plain + last.start, 0, (size_t)(SECTOR_BYTES - last.start));
        if (code == SQLITE_OK) code = write_sector(self, last.sector, plain);
    }
    godwit_wipe(plain, sizeof(plain));
    if (code != SQLITE_OK) return code;
    self->temporary.size = size;
    int64_t sectors = (size + SECTOR_BYTES - 1) / SECTOR_BYTES;
    return self->real->pMethods->xTruncate(self->real, sectors * SECTOR_BYTES);
}

static int temporary_size(sqlite3_file *base, sqlite3_int64 *size) {
    *size = ((cipherfile *)base)->temporary.size;
    return SQLITE_OK;
}

const sqlite3_io_methods pagecipher_temporary_methods = {
    .iVersion = 1,
    .xClose = pagecipher_file_close,
    .xRead = temporary_read,
    .xWrite = temporary_write,
    .xTruncate = temporary_truncate,
    .xSync = pagecipher_file_sync,
    .xFileSize = temporary_size,
    .xLock = pagecipher_file_lock,
    .xUnlock = pagecipher_file_unlock,
    .xCheckReservedLock = pagecipher_file_check_reserved,
    .xFileControl = pagecipher_file_control,
    .xSectorSize = pagecipher_file_sector_size,
    .xDeviceCharacteristics = pagecipher_file_characteristics,
};
