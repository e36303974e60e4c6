//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// CommonCrypto's functions over OpenSSL's, with the documented behavior, so that Godwit's code for Apple's systems runs here.

#define OPENSSL_SUPPRESS_DEPRECATED

#include "CommonCrypto.h"

#include <openssl/evp.h>
#include <openssl/md5.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

struct _CCCryptor {
    EVP_CIPHER_CTX *context;
    CCOptions options;
    CCOperation operation;
};

CCCryptorStatus CCCryptorCreate(CCOperation operation, CCAlgorithm algorithm, CCOptions options, const void *key, size_t count,
                                const void *vector, CCCryptorRef *made) {
    static const unsigned char zeros[16];
    if (algorithm != kCCAlgorithmAES || count != 32 || operation > kCCDecrypt) return kCCParamError;
    *made = calloc(1, sizeof(**made));
    **made = (struct _CCCryptor){EVP_CIPHER_CTX_new(), options, operation};
    EVP_CipherInit_ex((*made)->context, options & kCCOptionECBMode ? EVP_aes_256_ecb() : EVP_aes_256_cbc(), NULL, key,
                      vector ? vector : zeros, operation == kCCEncrypt);
    EVP_CIPHER_CTX_set_padding((*made)->context, (options & kCCOptionPKCS7Padding) != 0);
    return kCCSuccess;
}

CCCryptorStatus CCCryptorUpdate(CCCryptorRef cryptor, const void *in, size_t count, void *out, size_t space, size_t *moved) {
    if (space < count / 16 * 16) return kCCBufferTooSmall;
    int written = 0;
    if (!EVP_CipherUpdate(cryptor->context, out, &written, in, (int)count)) return kCCParamError;
    *moved = (size_t)written;
    return kCCSuccess;
}

CCCryptorStatus CCCryptorFinal(CCCryptorRef cryptor, void *out, size_t space, size_t *moved) {
    (void)space;
    int written = 0;
    if (!EVP_CipherFinal_ex(cryptor->context, out, &written)) return kCCAlignmentError;
    *moved = (size_t)written;
    return kCCSuccess;
}

CCCryptorStatus CCCryptorReset(CCCryptorRef cryptor, const void *vector) {
    if (cryptor->options & kCCOptionECBMode) return kCCUnimplemented;
    EVP_CipherInit_ex(cryptor->context, NULL, NULL, NULL, vector, cryptor->operation == kCCEncrypt);
    return kCCSuccess;
}

CCCryptorStatus CCCryptorRelease(CCCryptorRef cryptor) {
    EVP_CIPHER_CTX_free(cryptor->context);
    free(cryptor);
    return kCCSuccess;
}

int CC_MD5_Init(CC_MD5_CTX *state) { return MD5_Init((MD5_CTX *)state); }
int CC_MD5_Update(CC_MD5_CTX *state, const void *bytes, CC_LONG count) { return MD5_Update((MD5_CTX *)state, bytes, count); }
int CC_MD5_Final(unsigned char *digest, CC_MD5_CTX *state) { return MD5_Final(digest, (MD5_CTX *)state); }
int CC_SHA1_Init(CC_SHA1_CTX *state) { return SHA1_Init((SHA_CTX *)state); }
int CC_SHA1_Update(CC_SHA1_CTX *state, const void *bytes, CC_LONG count) { return SHA1_Update((SHA_CTX *)state, bytes, count); }
int CC_SHA1_Final(unsigned char *digest, CC_SHA1_CTX *state) { return SHA1_Final(digest, (SHA_CTX *)state); }
int CC_SHA256_Init(CC_SHA256_CTX *state) { return SHA256_Init((SHA256_CTX *)state); }
int CC_SHA256_Update(CC_SHA256_CTX *state, const void *bytes, CC_LONG count) {
    return SHA256_Update((SHA256_CTX *)state, bytes, count);
}
int CC_SHA256_Final(unsigned char *digest, CC_SHA256_CTX *state) { return SHA256_Final(digest, (SHA256_CTX *)state); }

// HMAC (RFC 2104): the digest of the key and the bytes, and the key for the digest of that.
struct code {
    union { SHA_CTX one; SHA512_CTX five_twelve; };
    uint8_t outer[128];
    uint32_t algorithm;
};
_Static_assert(sizeof(struct code) <= sizeof(CCHmacContext), "a state fits");

void CCHmacInit(CCHmacContext *context, CCHmacAlgorithm algorithm, const void *key, size_t count) {
    struct code *code = (struct code *)context;
    code->algorithm = algorithm;
    size_t block = algorithm == kCCHmacAlgSHA512 ? 128 : 64;
    if (count > block) abort();
    uint8_t inner[128];
    memset(inner, 0x36, sizeof inner);
    memset(code->outer, 0x5c, sizeof code->outer);
    for (size_t at = 0; at < count; at++) {
        inner[at] ^= ((const uint8_t *)key)[at];
        code->outer[at] ^= ((const uint8_t *)key)[at];
    }
    if (algorithm == kCCHmacAlgSHA512) SHA512_Init(&code->five_twelve);
    else SHA1_Init(&code->one);
    CCHmacUpdate(context, inner, block);
}

void CCHmacUpdate(CCHmacContext *context, const void *bytes, size_t count) {
    struct code *code = (struct code *)context;
    if (code->algorithm == kCCHmacAlgSHA512) SHA512_Update(&code->five_twelve, bytes, count);
    else SHA1_Update(&code->one, bytes, count);
}

void CCHmacFinal(CCHmacContext *context, void *output) {
    struct code *code = (struct code *)context;
    uint8_t inner[64];
    if (code->algorithm == kCCHmacAlgSHA512) {
        SHA512_Final(inner, &code->five_twelve);
        SHA512_Init(&code->five_twelve);
        SHA512_Update(&code->five_twelve, code->outer, 128);
        SHA512_Update(&code->five_twelve, inner, 64);
        SHA512_Final(output, &code->five_twelve);
    } else {
        SHA1_Final(inner, &code->one);
        SHA1_Init(&code->one);
        SHA1_Update(&code->one, code->outer, 64);
        SHA1_Update(&code->one, inner, 20);
        SHA1_Final(output, &code->one);
    }
}

int CCKeyDerivationPBKDF(CCPBKDFAlgorithm algorithm, const char *password, size_t length, const uint8_t *salt, size_t salt_length,
                         CCPseudoRandomAlgorithm function, unsigned rounds, uint8_t *key, size_t count) {
    if (algorithm != kCCPBKDF2) return kCCParamError;
    const EVP_MD *digest = function == kCCPRFHmacAlgSHA512 ? EVP_sha512() : EVP_sha1();
    return PKCS5_PBKDF2_HMAC(password, (int)length, salt, (int)salt_length, (int)rounds, digest, (int)count, key) ? kCCSuccess
                                                                                                               : kCCParamError;
}

CCRNGStatus CCRandomGenerateBytes(void *bytes, size_t count) {
    return RAND_bytes(bytes, (int)count) == 1 ? kCCSuccess : kCCParamError;
}
