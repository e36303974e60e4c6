//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The write-ahead log: a header of 32 bytes and frames, each a header of 24 bytes and a page. (SQLite, "WAL-mode File
// Format".) A frame's header has the page's number, the size of the database if the frame ends a transaction, the log's
// salts, and two running sums over all frames up to it, from which recovery finds the end of the log.
//
// SQLCipher sums encrypted pages. SQLite, which calls these methods, sums plain pages. So for a write the sums are
// calculated again, and a frame is written in one call, header and page: either program can recover a log that a crash
// left. Sums of plain pages are never written to the disk, because they reveal information about the pages. If the log
// is read from its start, the sums are calculated again too: SQLite gets valid sums up to the frame at which those in
// the file stop being valid.
//
// SQLite's accesses to a log, and their implementation:
//
//     the header, 32 bytes at 0                     unchanged
//     a frame's header, then its page               the header waits and is written with the page
//     a page alone, over one of the same            written; its frame's sums are invalid until they are written again,
//     transaction that had been spilled             which SQLite does before it commits:
//     8 bytes of sums, then a complete frame read   written at once with the sums of the encrypted page. It must not
//     and its header written                        wait: there may be no flush after it, and a crash would lose it
//     a complete frame read, from the first one on  recovery: sums calculated for SQLite
//     a page read, or a part of it                  decrypted
//
// Any other access is refused. The sums after the last frame are valid while the writers' lock is held; after it,
// another process may write.
//
// Frames that were moved are detected. While the database is open, the index of the log, which is in this process's
// memory, contains the page number of each frame, and the page's code is checked against that number. After a crash the
// index is created from the frames' headers, and the running sums end the log before the first frame at a wrong
// position. Sums have no key: an attacker who can write to the disk and calculates them again can put older pages of
// the log into it, as into the file (`page.c`).

#include "files.h"

#include <string.h>

enum { LOG_HEADER_BYTES = 32, SUMS_BYTES = 8, SUMS_IN_HEADER = 24, SUMS_IN_FRAME = 16, SUMMED_IN_FRAME = 8 };

/// The lowest bit of the log's first word is the order of the summed bytes.
enum { ORDER_BYTE = 3, HIGH_BYTE_FIRST = 1 };

static uint32_t word(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t low_word(const uint8_t *bytes) {
    return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

static void put_word(uint8_t *bytes, uint32_t value) {
    for (int place = 0; place < 4; place++) bytes[place] = (uint8_t)(value >> (24 - 8 * place));
}

/// SQLite's sums (`walChecksumBytes`), over a multiple of 8 bytes.
static void add(uint32_t sums[2], const uint8_t *bytes, size_t count, bool is_high_first) {
    uint32_t first = sums[0], second = sums[1];
    for (const uint8_t *end = bytes + count; bytes < end; bytes += 8) {
        first += (is_high_first ? word(bytes) : low_word(bytes)) + second;
        second += (is_high_first ? word(bytes + 4) : low_word(bytes + 4)) + first;
    }
    sums[0] = first;
    sums[1] = second;
}

// MARK: Frame positions

static uint32_t page_bytes(const cipherfile *self) { return self->cipher->format.page_bytes; }

static int64_t frame_bytes(const cipherfile *self) { return FRAME_HEADER_BYTES + (int64_t)page_bytes(self); }

/// The number of the frame that begins at an offset; 0 if no frame begins there.
static int64_t frame_at(const cipherfile *self, int64_t offset) {
    int64_t behind = offset - LOG_HEADER_BYTES;
    return behind >= 0 && behind % frame_bytes(self) == 0 ? behind / frame_bytes(self) + 1 : 0;
}

static int64_t offset_of(const cipherfile *self, int64_t frame) {
    return LOG_HEADER_BYTES + (frame - 1) * frame_bytes(self);
}

static int read_real(cipherfile *self, void *bytes, int64_t count, int64_t offset) {
    return self->real->pMethods->xRead(self->real, bytes, (int)count, offset);
}

static int write_real(cipherfile *self, const void *bytes, int64_t count, int64_t offset) {
    return self->real->pMethods->xWrite(self->real, bytes, (int)count, offset);
}

/// Adds a frame, header and page, to sums.
static void add_frame(const cipherfile *self, uint32_t sums[2], const uint8_t *bytes) {
    add(sums, bytes, SUMMED_IN_FRAME, self->log.is_high_first);
    add(sums, bytes + FRAME_HEADER_BYTES, page_bytes(self), self->log.is_high_first);
}

// MARK: Writing

/// The sums in the file before a frame.
static int sums_before(cipherfile *self, int64_t frame, uint32_t sums[2]) {
    chain *written = &self->log.written;
    unsigned turn = atomic_load(&self->database->write_turn);
    if (written->is_known && written->frame == frame - 1 && self->log.turn == turn) {
        memcpy(sums, written->sums, sizeof(written->sums));
        return SQLITE_OK;
    }
    uint8_t header[LOG_HEADER_BYTES], bytes[SUMS_BYTES];
    int code = read_real(self, header, LOG_HEADER_BYTES, 0);
    if (code != SQLITE_OK) return code;
    self->log.is_high_first = header[ORDER_BYTE] & HIGH_BYTE_FIRST;
    memcpy(bytes, header + SUMS_IN_HEADER, SUMS_BYTES);
    if (frame > 1) code = read_real(self, bytes, SUMS_BYTES, offset_of(self, frame - 1) + SUMS_IN_FRAME);
    sums[0] = word(bytes);
    sums[1] = word(bytes + 4);
    return code;
}

/// Writes the sums of a frame into its header.
///
/// \param bytes The frame's header, and its encrypted page.
static int sum_frame(cipherfile *self, int64_t frame, uint8_t *bytes) {
    uint32_t sums[2];
    int code = sums_before(self, frame, sums);
    if (code != SQLITE_OK) return code;
    add_frame(self, sums, bytes);
    put_word(bytes + SUMS_IN_FRAME, sums[0]);
    put_word(bytes + SUMS_IN_FRAME + 4, sums[1]);
    return SQLITE_OK;
}

static void remember_sums(cipherfile *self, int64_t frame) {
    self->log.turn = atomic_load(&self->database->write_turn);
    const uint8_t *sums = self->scratch + SUMS_IN_FRAME;
    self->log.written = (chain){true, frame, {word(sums), word(sums + 4)}};
}

/// Writes the header of a frame that SQLite has read and written back: the page is unchanged.
static int rewrite_header(cipherfile *self, const uint8_t *header, int64_t offset) {
    int code = read_real(self, self->scratch, frame_bytes(self), offset);
    if (code != SQLITE_OK) return code;
    memcpy(self->scratch, header, SUMS_IN_FRAME);
    int64_t frame = frame_at(self, offset);
    code = sum_frame(self, frame, self->scratch);
    if (code == SQLITE_OK) code = write_real(self, self->scratch, FRAME_HEADER_BYTES, offset);
    if (code == SQLITE_OK) remember_sums(self, frame);
    return code;
}

static int write_header(cipherfile *self, const uint8_t *header, int64_t offset) {
    // A page may follow in any case.
    self->log.has_header = true;
    self->log.header_offset = offset;
    memcpy(self->log.header, header, FRAME_HEADER_BYTES);
    unsigned turn = atomic_load(&self->database->write_turn);
    bool is_rewritten = self->log.has_reread && self->log.reread_offset == offset && self->log.reread_turn == turn;
    self->log.has_reread = false;
    return is_rewritten ? rewrite_header(self, header, offset) : SQLITE_OK;
}

static int write_page(cipherfile *self, const uint8_t *page, int64_t offset) {
    bool has_header = self->log.has_header && self->log.header_offset == offset;
    self->log.has_header = self->log.has_reread = false;
    if (has_header) memcpy(self->scratch, self->log.header, FRAME_HEADER_BYTES);
    int code = has_header ? SQLITE_OK : read_real(self, self->scratch, FRAME_HEADER_BYTES, offset);
    if (code != SQLITE_OK) return code;
    uint8_t *sealed = self->scratch + FRAME_HEADER_BYTES;
    if (!pagecipher_page_seal(&self->cipher->format, self->sealer, &self->database->keys, word(self->scratch), page, sealed))
        return SQLITE_NOMEM;
    if (!has_header) {
        self->log.written.is_known = false;
        return write_real(self, sealed, page_bytes(self), offset + FRAME_HEADER_BYTES);
    }
    int64_t frame = frame_at(self, offset);
    code = sum_frame(self, frame, self->scratch);
    if (code == SQLITE_OK) code = write_real(self, self->scratch, frame_bytes(self), offset);
    if (code == SQLITE_OK) remember_sums(self, frame);
    return code;
}

static int log_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    cipherfile *self = (cipherfile *)base;
    if (count == FRAME_HEADER_BYTES && frame_at(self, offset)) return write_header(self, bytes, offset);
    if ((uint32_t)count == page_bytes(self) && frame_at(self, offset - FRAME_HEADER_BYTES))
        return write_page(self, bytes, offset - FRAME_HEADER_BYTES);
    self->log.has_header = self->log.has_reread = self->log.written.is_known = false;
    if (count != LOG_HEADER_BYTES || offset != 0) return PAGECIPHER_UNFIT;
    return write_real(self, bytes, count, offset);
}

// MARK: Reading

/// Saves a page for the checkpoint of this thread.
///
/// \returns Whether this thread runs a checkpoint.
static bool offer_passing(cipherfile *self, const uint8_t *sealed, const uint8_t *plain) {
    database *database = self->database;
    pthread_mutex_lock(&database->mutex);
    bool is_wanted = database->is_checkpointing && pthread_equal(database->passing_thread, pthread_self());
    if (is_wanted) {
        database->has_passing_page = true;
        memcpy(database->passing_plain, plain, page_bytes(self));
        memcpy(database->passing_sealed, sealed, page_bytes(self));
    }
    pthread_mutex_unlock(&database->mutex);
    return is_wanted;
}

static int read_page(cipherfile *self, uint8_t *page, int64_t offset) {
    int code = read_real(self, self->scratch, frame_bytes(self), offset);
    if (code != SQLITE_OK) return code;
    // The number of the page that SQLite requests: the frame may have been replaced, header and page.
    uint32_t number = pagecipher_indexed_page(self->database, frame_at(self, offset));
    // In exclusive mode SQLite has the index in its own memory.
    if (number == 0) number = word(self->scratch);
    const uint8_t *sealed = self->scratch + FRAME_HEADER_BYTES;
    bool is_whole = pagecipher_page_open(&self->cipher->format, self->sealer, number, sealed, page);
    // If a checkpoint failed because of one page, all others would stay in the log, which ends there at the next
    // recovery.
    if (!is_whole) memset(page, 0, page_bytes(self));
    bool is_passing = offer_passing(self, sealed, page);
    return is_whole || is_passing ? SQLITE_OK : pagecipher_note_damage(number, true);
}

static int read_part(cipherfile *self, uint8_t *bytes, int count, int64_t offset) {
    uint8_t *page = sqlite3_malloc64(page_bytes(self));
    if (!page) return SQLITE_NOMEM;
    int code = read_page(self, page, offset);
    if (code == SQLITE_OK) memcpy(bytes, page, (size_t)count);
    godwit_wipe(page, page_bytes(self));
    sqlite3_free(page);
    return code;
}

static int read_header(cipherfile *self, uint8_t *bytes) {
    int code = read_real(self, bytes, LOG_HEADER_BYTES, 0);
    self->log.is_high_first = bytes[ORDER_BYTE] & HIGH_BYTE_FIRST;
    chain start = {code == SQLITE_OK, 0, {word(bytes + SUMS_IN_HEADER), word(bytes + SUMS_IN_HEADER + 4)}};
    self->log.sealed = self->log.plain = start;
    return code;
}

/// Whether a frame matches the sums in the file; the frame before it did.
static bool follows(cipherfile *self, int64_t frame, const uint8_t *bytes) {
    chain *sealed = &self->log.sealed;
    add_frame(self, sealed->sums, bytes);
    sealed->frame = frame;
    return word(bytes + SUMS_IN_FRAME) == sealed->sums[0] && word(bytes + SUMS_IN_FRAME + 4) == sealed->sums[1];
}

/// Writes invalid sums into a frame, so that for SQLite the log ends before it.
static void end_log(cipherfile *self, uint8_t *bytes) {
    uint32_t sums[2] = {self->log.plain.sums[0], self->log.plain.sums[1]};
    memset(bytes + FRAME_HEADER_BYTES, 0, page_bytes(self));
    add_frame(self, sums, bytes);
    put_word(bytes + SUMS_IN_FRAME, ~sums[0]);
    put_word(bytes + SUMS_IN_FRAME + 4, ~sums[1]);
    self->log.sealed.is_known = false;
}

static int open_frame(cipherfile *self, uint8_t *bytes) {
    uint32_t number = word(self->scratch);
    const uint8_t *sealed = self->scratch + FRAME_HEADER_BYTES;
    memcpy(bytes, self->scratch, FRAME_HEADER_BYTES);
    bool is_whole = pagecipher_page_open(&self->cipher->format, self->sealer, number, sealed, bytes + FRAME_HEADER_BYTES);
    return is_whole ? SQLITE_OK : pagecipher_note_damage(number, true);
}

/// Writes the sums that SQLite expects into a frame that recovery has read, if its own sums are valid.
static int recover_frame(cipherfile *self, int64_t frame, uint8_t *bytes) {
    if (!follows(self, frame, self->scratch)) {
        memcpy(bytes, self->scratch, FRAME_HEADER_BYTES);
        end_log(self, bytes);
        return SQLITE_OK;
    }
    int code = open_frame(self, bytes);
    if (code != SQLITE_OK) return code;
    chain *plain = &self->log.plain;
    add_frame(self, plain->sums, bytes);
    put_word(bytes + SUMS_IN_FRAME, plain->sums[0]);
    put_word(bytes + SUMS_IN_FRAME + 4, plain->sums[1]);
    return SQLITE_OK;
}

static int read_frame(cipherfile *self, uint8_t *bytes, int64_t offset) {
    int64_t frame = frame_at(self, offset);
    int code = read_real(self, self->scratch, frame_bytes(self), offset);
    if (code != SQLITE_OK) return code;
    self->log.has_reread = true;
    self->log.reread_offset = offset;
    self->log.reread_turn = atomic_load(&self->database->write_turn);
    bool is_recovered = self->log.sealed.is_known && self->log.sealed.frame == frame - 1;
    return is_recovered ? recover_frame(self, frame, bytes) : open_frame(self, bytes);
}

static int log_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    cipherfile *self = (cipherfile *)base;
    self->log.has_header = self->log.has_reread = false;
    if (count == frame_bytes(self) && frame_at(self, offset)) return read_frame(self, bytes, offset);
    if (count == LOG_HEADER_BYTES && offset == 0) return read_header(self, bytes);
    if (offset >= LOG_HEADER_BYTES && frame_at(self, offset - FRAME_HEADER_BYTES)) {
        int64_t start = offset - FRAME_HEADER_BYTES;
        if ((uint32_t)count == page_bytes(self)) return read_page(self, bytes, start);
        if ((uint32_t)count < page_bytes(self)) return read_part(self, bytes, count, start);
    }
    if (count == SUMS_BYTES && (offset == SUMS_IN_HEADER || frame_at(self, offset - SUMS_IN_FRAME)))
        return read_real(self, bytes, count, offset);
    return PAGECIPHER_UNFIT;
}

static int log_sync(sqlite3_file *base, int flags) {
    // A frame's header without its page.
    cipherfile *self = (cipherfile *)base;
    bool is_in_between = self->log.has_header
        && !(self->log.written.is_known && self->log.written.frame == frame_at(self, self->log.header_offset));
    return is_in_between ? PAGECIPHER_UNFIT : pagecipher_file_sync(base, flags);
}

static int log_truncate(sqlite3_file *base, sqlite3_int64 size) {
    cipherfile *self = (cipherfile *)base;
    self->log.has_header = self->log.has_reread = self->log.written.is_known = false;
    return pagecipher_file_truncate(base, size);
}

const sqlite3_io_methods pagecipher_log_methods = {
    .iVersion = 1,
    .xClose = pagecipher_file_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = pagecipher_file_size,
    .xLock = pagecipher_file_lock,
    .xUnlock = pagecipher_file_unlock,
    .xCheckReservedLock = pagecipher_file_check_reserved,
    .xFileControl = pagecipher_file_control,
    .xSectorSize = pagecipher_file_sector_size,
    .xDeviceCharacteristics = pagecipher_file_characteristics,
};
