//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if defined(GODWIT_SYSTEM_LIBRARIES)

#include "ccrypto.h"

#include <openssl/evp.h>
#include <pthread.h>

// OpenSSL looks up an algorithm for each digest unless it was fetched before, which takes longer than the digest of a
// short text.

static EVP_MD *sha256, *md5, *sha1;

static void fetch(void) {
    sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    md5 = EVP_MD_fetch(NULL, "MD5", NULL);
    sha1 = EVP_MD_fetch(NULL, "SHA1", NULL);
}

static const EVP_MD *algorithm_of(ccrypto_algorithm algorithm) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fetch);
    return algorithm == CCRYPTO_SHA256 ? sha256 : algorithm == CCRYPTO_MD5 ? md5 : sha1;
}

// A `ccrypto_digest` is an `EVP_MD_CTX` under another name.

static EVP_MD_CTX *context(ccrypto_digest *digest) { return (EVP_MD_CTX *)digest; }

ccrypto_digest *ccrypto_digest_make(ccrypto_algorithm algorithm) {
    const EVP_MD *kind = algorithm_of(algorithm);
    EVP_MD_CTX *made = kind ? EVP_MD_CTX_new() : NULL;
    if (made && EVP_DigestInit_ex2(made, kind, NULL) == 1) return (ccrypto_digest *)made;
    EVP_MD_CTX_free(made);
    return NULL;
}

ccrypto_digest *ccrypto_digest_copy(const ccrypto_digest *digest) {
    EVP_MD_CTX *made = EVP_MD_CTX_new();
    if (made && EVP_MD_CTX_copy_ex(made, (const EVP_MD_CTX *)digest) == 1) return (ccrypto_digest *)made;
    EVP_MD_CTX_free(made);
    return NULL;
}

void ccrypto_digest_update(ccrypto_digest *digest, const void *bytes, size_t count) {
    EVP_DigestUpdate(context(digest), bytes, count);
}

void ccrypto_digest_finish(ccrypto_digest *digest, uint8_t *output) { EVP_DigestFinal_ex(context(digest), output, NULL); }

void ccrypto_digest_free(ccrypto_digest *digest) { EVP_MD_CTX_free(context(digest)); }

// A `ccrypto_cbc` is an `EVP_CIPHER_CTX` under another name.

ccrypto_cbc *ccrypto_cbc_make(const uint8_t *key, const uint8_t *vector) {
    EVP_CIPHER_CTX *made = EVP_CIPHER_CTX_new();
    if (made && EVP_CipherInit_ex(made, EVP_aes_256_cbc(), NULL, key, vector, 0) == 1) return (ccrypto_cbc *)made;
    EVP_CIPHER_CTX_free(made);
    return NULL;
}

ptrdiff_t ccrypto_cbc_update(ccrypto_cbc *decryption, const uint8_t *bytes, size_t count, uint8_t *output) {
    int written = 0;
    return EVP_CipherUpdate((EVP_CIPHER_CTX *)decryption, output, &written, bytes, (int)count) == 1 ? written : -1;
}

ptrdiff_t ccrypto_cbc_finish(ccrypto_cbc *decryption, uint8_t *output) {
    int written = 0;
    return EVP_CipherFinal_ex((EVP_CIPHER_CTX *)decryption, output, &written) == 1 ? written : -1;
}

void ccrypto_cbc_free(ccrypto_cbc *decryption) { EVP_CIPHER_CTX_free((EVP_CIPHER_CTX *)decryption); }

static EVP_CIPHER_CTX *gcm(const uint8_t *key, const uint8_t *nonce, const void *authenticated, size_t authenticated_count,
                           bool seals) {
    EVP_CIPHER_CTX *made = EVP_CIPHER_CTX_new();
    int count = 0;
    if (made && EVP_CipherInit_ex(made, EVP_aes_256_gcm(), NULL, key, nonce, seals) == 1
        && EVP_CipherUpdate(made, NULL, &count, authenticated, (int)authenticated_count) == 1)
        return made;
    EVP_CIPHER_CTX_free(made);
    return NULL;
}

bool ccrypto_gcm_seal(const uint8_t *key, const uint8_t *nonce, const void *authenticated, size_t authenticated_count,
                      const uint8_t *bytes, size_t count, uint8_t *sealed) {
    EVP_CIPHER_CTX *cipher = gcm(key, nonce, authenticated, authenticated_count, true);
    int written = 0, last = 0;
    bool is_done = cipher && EVP_CipherUpdate(cipher, sealed, &written, bytes, (int)count) == 1
        && EVP_CipherFinal_ex(cipher, sealed + written, &last) == 1
        && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, CCRYPTO_GCM_TAG_BYTES, sealed + count) == 1;
    EVP_CIPHER_CTX_free(cipher);
    return is_done;
}

bool ccrypto_gcm_open(const uint8_t *key, const uint8_t *nonce, const void *authenticated, size_t authenticated_count,
                      const uint8_t *sealed, size_t count, uint8_t *bytes) {
    if (count < CCRYPTO_GCM_TAG_BYTES) return false;
    count -= CCRYPTO_GCM_TAG_BYTES;
    EVP_CIPHER_CTX *cipher = gcm(key, nonce, authenticated, authenticated_count, false);
    int written = 0, last = 0;
    bool is_authentic = cipher && EVP_CipherUpdate(cipher, bytes, &written, sealed, (int)count) == 1
        && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, CCRYPTO_GCM_TAG_BYTES, (void *)(sealed + count)) == 1
        && EVP_CipherFinal_ex(cipher, bytes + written, &last) == 1;
    EVP_CIPHER_CTX_free(cipher);
    return is_authentic;
}

bool ccrypto_pbkdf2_sha1(const void *password, size_t password_count, const uint8_t *salt, size_t salt_count,
                         uint32_t rounds, uint8_t *key, size_t key_count) {
    return PKCS5_PBKDF2_HMAC_SHA1(password, (int)password_count, salt, (int)salt_count, (int)rounds, (int)key_count,
                                  key) == 1;
}

bool ccrypto_scrypt(const void *passphrase, size_t passphrase_count, const uint8_t *salt, size_t salt_count, uint64_t n,
                    uint64_t r, uint64_t p, uint8_t *key, size_t key_count) {
    // OpenSSL's limit counts a little more than the blocks.
    uint64_t memory = 128 * r * (n + p + 4) + (1 << 20);
    return EVP_PBE_scrypt(passphrase, passphrase_count, salt, salt_count, n, r, p, memory, key, key_count) == 1;
}

#endif
