//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if defined(__APPLE__) && !defined(GODWIT_SYSTEM_LIBRARIES)

#include "CKeys.h"
#include "ccrypto.h"

#include <CommonCrypto/CommonCryptor.h>
#include <CommonCrypto/CommonDigest.h>
#include <CommonCrypto/CommonKeyDerivation.h>
#include <stdlib.h>
#include <string.h>

struct ccrypto_digest {
    ccrypto_algorithm algorithm;
    union {
        CC_SHA256_CTX sha256;
        CC_MD5_CTX md5;
        CC_SHA1_CTX sha1;
    };
};

// Apple deprecates MD5 because it is not secure. CouchDB's protocol uses it for attachments, Cloudant Sync's files SHA-1.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

ccrypto_digest *ccrypto_digest_make(ccrypto_algorithm algorithm) {
    ccrypto_digest *made = calloc(1, sizeof(ccrypto_digest));
    if (!made) return NULL;
    made->algorithm = algorithm;
    if (algorithm == CCRYPTO_SHA256) CC_SHA256_Init(&made->sha256);
    else if (algorithm == CCRYPTO_MD5) CC_MD5_Init(&made->md5);
    else CC_SHA1_Init(&made->sha1);
    return made;
}

ccrypto_digest *ccrypto_digest_copy(const ccrypto_digest *digest) {
    ccrypto_digest *made = malloc(sizeof(ccrypto_digest));
    if (made) memcpy(made, digest, sizeof(ccrypto_digest));
    return made;
}

void ccrypto_digest_update(ccrypto_digest *digest, const void *bytes, size_t count) {
    // CommonCrypto's counts have 32 bits.
    const size_t part_max = 1 << 30;
    for (const uint8_t *next = bytes; count > 0;) {
        CC_LONG part = (CC_LONG)(count < part_max ? count : part_max);
        if (digest->algorithm == CCRYPTO_SHA256) CC_SHA256_Update(&digest->sha256, next, part);
        else if (digest->algorithm == CCRYPTO_MD5) CC_MD5_Update(&digest->md5, next, part);
        else CC_SHA1_Update(&digest->sha1, next, part);
        next += part;
        count -= part;
    }
}

void ccrypto_digest_finish(ccrypto_digest *digest, uint8_t *output) {
    if (digest->algorithm == CCRYPTO_SHA256) CC_SHA256_Final(output, &digest->sha256);
    else if (digest->algorithm == CCRYPTO_MD5) CC_MD5_Final(output, &digest->md5);
    else CC_SHA1_Final(output, &digest->sha1);
}

#pragma clang diagnostic pop

void ccrypto_digest_free(ccrypto_digest *digest) { free(digest); }

// The padding is checked here: Apple does not document which results CommonCrypto gives for damaged padding.

struct ccrypto_cbc {
    CCCryptorRef cryptor;
    /// The last decrypted block, which may be the padding.
    uint8_t last[CCRYPTO_CBC_BLOCK_BYTES];
    size_t last_count;
};

ccrypto_cbc *ccrypto_cbc_make(const uint8_t *key, const uint8_t *vector) {
    ccrypto_cbc *made = calloc(1, sizeof(ccrypto_cbc));
    if (!made) return NULL;
    if (CCCryptorCreate(kCCDecrypt, kCCAlgorithmAES, 0, key, CCRYPTO_CBC_KEY_BYTES, vector, &made->cryptor) == kCCSuccess)
        return made;
    free(made);
    return NULL;
}

ptrdiff_t ccrypto_cbc_update(ccrypto_cbc *decryption, const uint8_t *bytes, size_t count, uint8_t *output) {
    size_t written = 0;
    if (CCCryptorUpdate(decryption->cryptor, bytes, count, output, count + CCRYPTO_CBC_BLOCK_BYTES, &written) != kCCSuccess)
        return -1;
    if (written == 0) return 0;
    // Whole blocks are decrypted. The last one is held back, and the one that was held back is given before the others.
    uint8_t last[CCRYPTO_CBC_BLOCK_BYTES];
    written -= CCRYPTO_CBC_BLOCK_BYTES;
    memcpy(last, output + written, CCRYPTO_CBC_BLOCK_BYTES);
    memmove(output + decryption->last_count, output, written);
    memcpy(output, decryption->last, decryption->last_count);
    written += decryption->last_count;
    memcpy(decryption->last, last, CCRYPTO_CBC_BLOCK_BYTES);
    decryption->last_count = CCRYPTO_CBC_BLOCK_BYTES;
    return (ptrdiff_t)written;
}

ptrdiff_t ccrypto_cbc_finish(ccrypto_cbc *decryption, uint8_t *output) {
    size_t written = 0;
    uint8_t none[CCRYPTO_CBC_BLOCK_BYTES];
    if (CCCryptorFinal(decryption->cryptor, none, sizeof(none), &written) != kCCSuccess || written != 0) return -1;
    size_t padding = decryption->last[CCRYPTO_CBC_BLOCK_BYTES - 1];
    if (decryption->last_count == 0 || padding == 0 || padding > CCRYPTO_CBC_BLOCK_BYTES) return -1;
    for (size_t at = CCRYPTO_CBC_BLOCK_BYTES - padding; at < CCRYPTO_CBC_BLOCK_BYTES; at++)
        if (decryption->last[at] != padding) return -1;
    size_t rest = CCRYPTO_CBC_BLOCK_BYTES - padding;
    memcpy(output, decryption->last, rest);
    return (ptrdiff_t)rest;
}

void ccrypto_cbc_free(ccrypto_cbc *decryption) {
    if (!decryption) return;
    if (decryption->cryptor) CCCryptorRelease(decryption->cryptor);
    godwit_wipe(decryption, sizeof(*decryption));
    free(decryption);
}

bool ccrypto_pbkdf2_sha1(const void *password, size_t password_count, const uint8_t *salt, size_t salt_count,
                         uint32_t rounds, uint8_t *key, size_t key_count) {
    return CCKeyDerivationPBKDF(kCCPBKDF2, password, password_count, salt, salt_count, kCCPRFHmacAlgSHA1, rounds, key,
                                key_count) == kCCSuccess;
}

#endif
