//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Pages: their encrypted form.

#ifndef PAGECIPHER_PAGE_H
#define PAGECIPHER_PAGE_H

#include "primitives.h"

/// The keys of one file.
typedef struct {
    uint8_t salt[PAGECIPHER_SALT_BYTES];
    uint8_t key[KEY_BYTES];
} filekey;

/// Creates the contexts for a file's pages, including the key of their codes.
sealer *pagecipher_sealer_of(const filekey *keys);

/// Encrypts a page. `out` must not overlap `in`.
bool pagecipher_page_seal(sealer *sealer, const filekey *keys, uint32_t number, const uint8_t *in, uint8_t *out,
                          uint32_t page_bytes);

/// Decrypts a page if it matches its code. `out` must not overlap `in`.
bool pagecipher_page_open(sealer *sealer, uint32_t number, const uint8_t *in, uint8_t *out, uint32_t page_bytes);

/// Whether all bytes are zeros.
bool pagecipher_is_blank(const uint8_t *bytes, size_t count);

/// Records a page that does not match its code, for `pagecipher_damaged_page`.
int pagecipher_note_damage(uint32_t number, bool in_log);

#endif
