//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_TEST_COMMONCRYPTO_H
#define GODWIT_TEST_COMMONCRYPTO_H

#include <stddef.h>
#include <stdint.h>

// Declarations that Godwit uses of CommonCrypto, written from its manual pages CC_crypto(3cc), CCHmac(3cc), CC_MD5(3cc) and CC_SHA(3cc). The
// states of digests have the space that `openssl.c` needs.

enum { kCCSuccess = 0, kCCParamError = -4300, kCCBufferTooSmall = -4301, kCCMemoryFailure = -4302, kCCAlignmentError = -4303, kCCUnimplemented = -4305 };
typedef int32_t CCStatus, CCCryptorStatus, CCRNGStatus;

typedef uint32_t CCOperation, CCAlgorithm, CCOptions;
enum { kCCEncrypt = 0, kCCDecrypt = 1 };
enum { kCCAlgorithmAES = 0 };
enum { kCCOptionPKCS7Padding = 1, kCCOptionECBMode = 2 };
typedef struct _CCCryptor *CCCryptorRef;
CCCryptorStatus CCCryptorCreate(CCOperation, CCAlgorithm, CCOptions, const void *key, size_t, const void *vector, CCCryptorRef *);
CCCryptorStatus CCCryptorUpdate(CCCryptorRef, const void *in, size_t, void *out, size_t, size_t *moved);
CCCryptorStatus CCCryptorFinal(CCCryptorRef, void *out, size_t, size_t *moved);
CCCryptorStatus CCCryptorReset(CCCryptorRef, const void *vector);
CCCryptorStatus CCCryptorRelease(CCCryptorRef);

typedef uint32_t CCHmacAlgorithm;
enum { kCCHmacAlgSHA1 = 0, kCCHmacAlgSHA512 = 4 };
typedef struct { uint32_t ctx[96]; } CCHmacContext;
void CCHmacInit(CCHmacContext *, CCHmacAlgorithm, const void *key, size_t);
void CCHmacUpdate(CCHmacContext *, const void *, size_t);
void CCHmacFinal(CCHmacContext *, void *code);

typedef uint32_t CC_LONG;
typedef struct { uint64_t state[16]; } CC_MD5_CTX, CC_SHA1_CTX, CC_SHA256_CTX;
int CC_MD5_Init(CC_MD5_CTX *);
int CC_MD5_Update(CC_MD5_CTX *, const void *, CC_LONG);
int CC_MD5_Final(unsigned char *, CC_MD5_CTX *);
int CC_SHA1_Init(CC_SHA1_CTX *);
int CC_SHA1_Update(CC_SHA1_CTX *, const void *, CC_LONG);
int CC_SHA1_Final(unsigned char *, CC_SHA1_CTX *);
int CC_SHA256_Init(CC_SHA256_CTX *);
int CC_SHA256_Update(CC_SHA256_CTX *, const void *, CC_LONG);
int CC_SHA256_Final(unsigned char *, CC_SHA256_CTX *);

typedef uint32_t CCPBKDFAlgorithm, CCPseudoRandomAlgorithm;
enum { kCCPBKDF2 = 2 };
enum { kCCPRFHmacAlgSHA1 = 1, kCCPRFHmacAlgSHA512 = 5 };
int CCKeyDerivationPBKDF(CCPBKDFAlgorithm, const char *password, size_t, const uint8_t *salt, size_t, CCPseudoRandomAlgorithm, unsigned rounds, uint8_t *key, size_t);

CCRNGStatus CCRandomGenerateBytes(void *, size_t);

#endif
