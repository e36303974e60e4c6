//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Pages in the format of SQLCipher 4 (zetetic.net/sqlcipher/design, and its source).
//
//     page 1:   16 bytes of salt, in place of SQLite's "SQLite format 3\0" · ciphertext · vector · code
//     others:   ciphertext · vector · code
//
// The last 80 bytes of each page are reserved (byte 20 of the database contains this number): a vector of 16 random
// bytes, new at each write, and a code of 64 bytes. The ciphertext is AES-256-CBC without padding. The code is
// HMAC-SHA-512 over ciphertext, vector and the page's number (32 bits, low byte first), so a page can neither be
// changed nor moved to another number. It is checked before any byte of a page is used. The key is 32 bytes, given
// directly or derived from a passphrase and the salt (PBKDF2 with HMAC-SHA-512, 256 000 rounds); the key of the codes
// is derived from it and the salt with each byte xor 0x3a, by two rounds.
//
// SQLCipher 3, whose files Godwit only reads, has HMAC-SHA-1, 64 000 rounds, and 48 reserved bytes: a vector, a code of 20
// bytes, and 12 unused ones.
//
// Reasons for this format: other tools can read it, so users keep access to their data, and independent programs can
// check it. Authenticated modes (GCM) would be faster and have no such tools. The format does not hide the number and
// size of pages, and when they change. It does not detect that a complete file, or a page of it, was replaced by an
// older version.
//
// A page of zeros has no code. SQLCipher accepts it as one that was never written if the file can shrink (auto_vacuum),
// as Godwit's can; then the last piece of a long value could be erased without detection. Here it is damage: in a file
// that is written through a log each page is written, except the one that SQLite locks.

#include "page.h"

#include <string.h>

enum { CODE_KEY_ROUNDS = 2, CODE_KEY_MASK = 0x3a };

static const uint8_t first_bytes[PAGECIPHER_SALT_BYTES] = "SQLite format 3";

bool pagecipher_derive(const void *passphrase, size_t length, const uint8_t salt[PAGECIPHER_SALT_BYTES],
                       uint8_t key[PAGECIPHER_KEY_BYTES]) {
    pageformat format = pagecipher_format_of(PAGECIPHER_SQLCIPHER_4, PAGECIPHER_PAGE_BYTES);
    filekey keys;
    memcpy(keys.salt, salt, PAGECIPHER_SALT_BYTES);
    bool is_done = pagecipher_derive_for(&format, passphrase, length, &keys);
    if (is_done) memcpy(key, keys.key, KEY_BYTES);
    godwit_wipe(&keys, sizeof(keys));
    return is_done;
}

pageformat pagecipher_format_of(enum pagecipher_version version, uint32_t page_bytes) {
    return version == PAGECIPHER_SQLCIPHER_4 ? (pageformat){page_bytes, 80, SHA_512, 256000}
                                             : (pageformat){page_bytes, 48, SHA_1, 64000};
}

uint32_t pagecipher_reserved_bytes(enum pagecipher_version version) {
    return pagecipher_format_of(version, PAGECIPHER_PAGE_BYTES).reserved_bytes;
}

bool pagecipher_derive_for(const pageformat *format, const void *passphrase, size_t length, filekey *keys) {
    return pagecipher_stretch(format->digest, passphrase, length, keys->salt, PAGECIPHER_SALT_BYTES,
                              format->passphrase_rounds, keys->key);
}

sealer *pagecipher_sealer_of(const pageformat *format, const filekey *keys) {
    uint8_t salt[PAGECIPHER_SALT_BYTES], code_key[KEY_BYTES];
    for (int place = 0; place < PAGECIPHER_SALT_BYTES; place++) salt[place] = keys->salt[place] ^ CODE_KEY_MASK;
    if (!pagecipher_stretch(format->digest, keys->key, KEY_BYTES, salt, sizeof(salt), CODE_KEY_ROUNDS, code_key))
        return NULL;
    sealer *made = pagecipher_sealer_make(format->digest, keys->key, code_key);
    godwit_wipe(code_key, sizeof(code_key));
    return made;
}

/// The number of bytes in the clear at the beginning of a page.
static uint32_t clear_bytes(uint32_t number) { return number == 1 ? PAGECIPHER_SALT_BYTES : 0; }

bool pagecipher_page_seal(const pageformat *format, sealer *sealer, const filekey *keys, uint32_t number,
                          const uint8_t *in, uint8_t *out) {
    uint32_t start = clear_bytes(number), end = format->page_bytes - format->reserved_bytes;
    uint8_t *vector = out + end, code[CODE_BYTES_MAX];
    if (start) memcpy(out, keys->salt, start);
    if (!pagecipher_random(vector, format->reserved_bytes)
        || !pagecipher_sealer_encrypt(sealer, vector, in + start, out + start, end - start)
        || !pagecipher_sealer_code(sealer, out + start, end - start + VECTOR_BYTES, number, code))
        return false;
    memcpy(vector + VECTOR_BYTES, code, pagecipher_code_bytes(format->digest));
    return true;
}

bool pagecipher_page_open(const pageformat *format, sealer *sealer, uint32_t number, const uint8_t *in, uint8_t *out) {
    uint32_t start = clear_bytes(number), end = format->page_bytes - format->reserved_bytes;
    uint8_t code[CODE_BYTES_MAX];
    const uint8_t *vector = in + end;
    if (!pagecipher_sealer_code(sealer, in + start, end - start + VECTOR_BYTES, number, code)) return false;
    if (!godwit_equal(code, vector + VECTOR_BYTES, pagecipher_code_bytes(format->digest))) return false;
    memcpy(out, first_bytes, start);
    memset(out + end, 0, format->reserved_bytes);
    return pagecipher_sealer_decrypt(sealer, vector, in + start, out + start, end - start);
}

bool pagecipher_is_blank(const uint8_t *bytes, size_t count) {
    return count == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0);
}

static _Thread_local uint32_t damaged_page;
static _Thread_local bool damage_is_in_log;

int pagecipher_note_damage(uint32_t number, bool in_log) {
    damaged_page = number;
    damage_is_in_log = in_log;
    return PAGECIPHER_DAMAGED;
}

uint32_t pagecipher_damaged_page(bool *in_log) {
    *in_log = damage_is_in_log;
    return damaged_page;
}
