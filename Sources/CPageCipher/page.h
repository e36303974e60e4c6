//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Pages: what they look like outside.

#ifndef PAGECIPHER_PAGE_H
#define PAGECIPHER_PAGE_H

#include "primitives.h"

/// The keys of one file.
typedef struct {
    uint8_t salt[PAGECIPHER_SALT_BYTES];
    uint8_t key[KEY_BYTES];
} filekey;

/// Makes the contexts for a file's pages, the key of their codes among them.
sealer *pagecipher_sealer_of(const filekey *keys);

/// Encrypts a page. `out` is another place than `in`.
bool pagecipher_page_seal(sealer *sealer, const filekey *keys, uint32_t number, const uint8_t *in, uint8_t *out,
                          uint32_t page_bytes);

/// Decrypts a page when it matches its code. `out` is another place than `in`.
bool pagecipher_page_open(sealer *sealer, uint32_t number, const uint8_t *in, uint8_t *out, uint32_t page_bytes);

/// Whether bytes are nothing but zeros.
bool pagecipher_is_blank(const uint8_t *bytes, size_t count);

/// Notes a page that does not match its code, for `pagecipher_damaged_page`.
int pagecipher_note_damage(uint32_t number, bool in_log);

#endif
