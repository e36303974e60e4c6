//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The functions of a cryptographic library that the cipher uses.

#ifndef PAGECIPHER_PRIMITIVES_H
#define PAGECIPHER_PRIMITIVES_H

#include "pagecipher.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEY_BYTES = 32, VECTOR_BYTES = 16, CODE_BYTES_MAX = 64, TWEAKED_KEY_BYTES = 64 };

/// The digest of codes and derived keys.
typedef enum { SHA_512, SHA_1 } codedigest;

/// The number of bytes of a code.
static inline uint32_t pagecipher_code_bytes(codedigest digest) { return digest == SHA_512 ? 64 : 20; }

bool pagecipher_random(uint8_t *bytes, size_t count);

/// PBKDF2 with HMAC.
bool pagecipher_stretch(codedigest digest, const void *password, size_t length, const uint8_t *salt, size_t salt_length,
                        uint32_t rounds, uint8_t key[KEY_BYTES]);

/// Prepared keys for one thread at a time.
typedef struct sealer sealer;

sealer *pagecipher_sealer_make(codedigest digest, const uint8_t key[KEY_BYTES], const uint8_t code_key[KEY_BYTES]);
void pagecipher_sealer_free(sealer *sealer);

/// AES-256-CBC without padding; `count` is a multiple of 16.
bool pagecipher_sealer_encrypt(sealer *sealer, const uint8_t vector[VECTOR_BYTES], const uint8_t *in, uint8_t *out, size_t count);
bool pagecipher_sealer_decrypt(sealer *sealer, const uint8_t vector[VECTOR_BYTES], const uint8_t *in, uint8_t *out, size_t count);

/// HMAC over bytes and a number of 32 bits, its low byte first. `code` has space for `CODE_BYTES_MAX`.
bool pagecipher_sealer_code(sealer *sealer, const uint8_t *bytes, size_t count, uint32_t number, uint8_t *code);

/// A cipher for sectors of a disk, for one thread at a time.
typedef struct scrambler scrambler;

scrambler *pagecipher_scrambler_make(const uint8_t key[TWEAKED_KEY_BYTES]);
void pagecipher_scrambler_free(scrambler *scrambler);

/// AES-256-XTS over one sector; `count` is a multiple of 16.
bool pagecipher_scrambler_run(scrambler *scrambler, bool encrypts, uint64_t sector, const uint8_t *in, uint8_t *out,
                   size_t count);

#endif
