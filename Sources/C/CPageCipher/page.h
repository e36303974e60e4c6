//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Pages: their encrypted form.

#ifndef PAGECIPHER_PAGE_H
#define PAGECIPHER_PAGE_H

#include "primitives.h"

#include <CKeys.h>

/// The format of a file's pages.
typedef struct {
    uint32_t page_bytes;
    /// The end of each page: vector, code, and unused bytes up to a multiple of the cipher's block.
    uint32_t reserved_bytes;
    codedigest digest;
    /// The rounds by which a key is derived from a passphrase.
    uint32_t passphrase_rounds;
} pageformat;

/// Describes the format of a version.
pageformat pagecipher_format_of(enum pagecipher_version version, uint32_t page_bytes);

/// The keys of one file.
typedef struct {
    uint8_t salt[PAGECIPHER_SALT_BYTES];
    uint8_t key[KEY_BYTES];
} filekey;

/// Derives the key of a file from a passphrase and the file's salt.
bool pagecipher_derive_for(const pageformat *format, const void *passphrase, size_t length, filekey *keys);

/// Creates the contexts for a file's pages, including the key of their codes.
sealer *pagecipher_sealer_of(const pageformat *format, const filekey *keys);

/// Encrypts a page. `out` must not overlap `in`.
bool pagecipher_page_seal(const pageformat *format, sealer *sealer, const filekey *keys, uint32_t number,
                          const uint8_t *in, uint8_t *out);

/// Decrypts a page if it matches its code. `out` must not overlap `in`.
bool pagecipher_page_open(const pageformat *format, sealer *sealer, uint32_t number, const uint8_t *in, uint8_t *out);

/// Whether all bytes are zeros.
bool pagecipher_is_blank(const uint8_t *bytes, size_t count);

/// Records a page that does not match its code, for `pagecipher_damaged_page`.
int pagecipher_note_damage(uint32_t number, bool in_log);

#endif
