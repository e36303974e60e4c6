//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Digests, AES-CBC and PBKDF2 of OpenSSL's libcrypto if the trait `SystemLibraries` is on, otherwise of CommonCrypto on
// Apple's systems and of swift-crypto elsewhere.

#ifndef GODWIT_CCRYPTO_H
#define GODWIT_CCRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { CCRYPTO_SHA256, CCRYPTO_MD5, CCRYPTO_SHA1 } ccrypto_algorithm;

/// A digest of bytes that are added in parts.
typedef struct ccrypto_digest ccrypto_digest;

/// Creates a digest; NULL if there is no memory. `ccrypto_digest_free` frees it.
ccrypto_digest *ccrypto_digest_make(ccrypto_algorithm algorithm);
/// Copies a digest with its current state; NULL if there is no memory.
ccrypto_digest *ccrypto_digest_copy(const ccrypto_digest *digest);
void ccrypto_digest_update(ccrypto_digest *digest, const void *bytes, size_t count);
/// Writes the digest: 32 bytes of SHA-256, 16 of MD5, 20 of SHA-1. After it only `ccrypto_digest_free` may be called.
void ccrypto_digest_finish(ccrypto_digest *digest, uint8_t *output);
void ccrypto_digest_free(ccrypto_digest *digest);

/// The number of bytes of a key and of a block, which is that of an initialization vector.
enum { CCRYPTO_CBC_KEY_BYTES = 32, CCRYPTO_CBC_BLOCK_BYTES = 16 };

/// Decrypts AES-256-CBC with the padding of PKCS #7, in parts.
typedef struct ccrypto_cbc ccrypto_cbc;

/// Creates a decryption; NULL if there is no memory. `ccrypto_cbc_free` frees it.
ccrypto_cbc *ccrypto_cbc_make(const uint8_t *key, const uint8_t *vector);
/// Decrypts a part. `output` has space for `count` bytes and a block.
///
/// Returns the number of decrypted bytes, or -1.
ptrdiff_t ccrypto_cbc_update(ccrypto_cbc *decryption, const uint8_t *bytes, size_t count, uint8_t *output);
/// Decrypts the rest. `output` has space for a block. Returns the number of bytes, or -1 if the padding is damaged.
ptrdiff_t ccrypto_cbc_finish(ccrypto_cbc *decryption, uint8_t *output);
void ccrypto_cbc_free(ccrypto_cbc *decryption);

/// Derives a key from a password with PBKDF2 and HMAC-SHA-1 (RFC 8018). Returns whether it succeeded.
bool ccrypto_pbkdf2_sha1(const void *password, size_t password_count, const uint8_t *salt, size_t salt_count,
                         uint32_t rounds, uint8_t *key, size_t key_count);

// Only with libcrypto.

/// The number of bytes of a key, of a nonce and of an authentication tag.
enum { CCRYPTO_GCM_KEY_BYTES = 32, CCRYPTO_GCM_NONCE_BYTES = 12, CCRYPTO_GCM_TAG_BYTES = 16 };

/// Encrypts with AES-256 in Galois/Counter Mode (NIST SP 800-38D).
///
/// `sealed` has space for `count` bytes and the tag after them. Returns whether it succeeded.
bool ccrypto_gcm_seal(const uint8_t *key, const uint8_t *nonce, const void *authenticated, size_t authenticated_count,
                      const uint8_t *bytes, size_t count, uint8_t *sealed);

/// Decrypts the output of `ccrypto_gcm_seal`: `count` bytes including their tag. Returns whether they are authentic.
bool ccrypto_gcm_open(const uint8_t *key, const uint8_t *nonce, const void *authenticated, size_t authenticated_count,
                      const uint8_t *sealed, size_t count, uint8_t *bytes);

/// Derives a key from a passphrase (RFC 7914), with 128 * r * (n + p) bytes of memory. Returns whether it succeeded.
bool ccrypto_scrypt(const void *passphrase, size_t passphrase_count, const uint8_t *salt, size_t salt_count, uint64_t n,
                    uint64_t r, uint64_t p, uint8_t *key, size_t key_count);

#endif
