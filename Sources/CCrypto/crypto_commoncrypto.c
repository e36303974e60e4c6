//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if defined(__APPLE__)

#include "ccrypto.h"

#include <CommonCrypto/CommonDigest.h>
#include <stdlib.h>
#include <string.h>

struct ccrypto_digest {
    ccrypto_algorithm algorithm;
    union {
        CC_SHA256_CTX sha256;
        CC_MD5_CTX md5;
    };
};

// Apple deprecates MD5 because it is not secure. CouchDB's protocol uses it for attachments.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

ccrypto_digest *ccrypto_digest_make(ccrypto_algorithm algorithm) {
    ccrypto_digest *made = calloc(1, sizeof(ccrypto_digest));
    if (!made) return NULL;
    made->algorithm = algorithm;
    if (algorithm == CCRYPTO_SHA256) CC_SHA256_Init(&made->sha256);
    else CC_MD5_Init(&made->md5);
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
        else CC_MD5_Update(&digest->md5, next, part);
        next += part;
        count -= part;
    }
}

void ccrypto_digest_finish(ccrypto_digest *digest, uint8_t *output) {
    if (digest->algorithm == CCRYPTO_SHA256) CC_SHA256_Final(output, &digest->sha256);
    else CC_MD5_Final(output, &digest->md5);
}

#pragma clang diagnostic pop

void ccrypto_digest_free(ccrypto_digest *digest) { free(digest); }

#endif
