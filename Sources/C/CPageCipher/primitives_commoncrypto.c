//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if defined(__APPLE__) && !defined(GODWIT_SYSTEM_LIBRARIES)

#include "primitives.h"

#include <CKeys.h>
#include <CommonCrypto/CommonCrypto.h>
#include <CommonCrypto/CommonRandom.h>
#include <stdlib.h>
#include <string.h>

bool pagecipher_random(uint8_t *bytes, size_t count) { return CCRandomGenerateBytes(bytes, count) == kCCSuccess; }

bool pagecipher_stretch(codedigest digest, const void *password, size_t length, const uint8_t *salt, size_t salt_length,
                        uint32_t rounds, uint8_t key[KEY_BYTES]) {
    return CCKeyDerivationPBKDF(kCCPBKDF2, password, length, salt, salt_length,
                                digest == SHA_512 ? kCCPRFHmacAlgSHA512 : kCCPRFHmacAlgSHA1, rounds, key, KEY_BYTES) == kCCSuccess;
}

struct sealer {
    CCCryptorRef encryption, decryption;
    CCHmacContext code;
};

sealer *pagecipher_sealer_make(codedigest digest, const uint8_t key[KEY_BYTES], const uint8_t code_key[KEY_BYTES]) {
    sealer *made = calloc(1, sizeof(sealer));
    if (!made) return NULL;
    CCHmacInit(&made->code, digest == SHA_512 ? kCCHmacAlgSHA512 : kCCHmacAlgSHA1, code_key, KEY_BYTES);
    if (CCCryptorCreate(kCCEncrypt, kCCAlgorithmAES, 0, key, KEY_BYTES, NULL, &made->encryption) == kCCSuccess
        && CCCryptorCreate(kCCDecrypt, kCCAlgorithmAES, 0, key, KEY_BYTES, NULL, &made->decryption) == kCCSuccess)
        return made;
    pagecipher_sealer_free(made);
    return NULL;
}

void pagecipher_sealer_free(sealer *sealer) {
    if (!sealer) return;
    if (sealer->encryption) CCCryptorRelease(sealer->encryption);
    if (sealer->decryption) CCCryptorRelease(sealer->decryption);
    godwit_wipe(sealer, sizeof(*sealer));
    free(sealer);
}

static bool run(CCCryptorRef cryptor, const uint8_t *vector, const uint8_t *in, uint8_t *out, size_t count) {
    size_t written = 0;
    return CCCryptorReset(cryptor, vector) == kCCSuccess
        && CCCryptorUpdate(cryptor, in, count, out, count, &written) == kCCSuccess && written == count;
}

bool pagecipher_sealer_encrypt(sealer *sealer, const uint8_t vector[VECTOR_BYTES], const uint8_t *in, uint8_t *out,
                    size_t count) {
    return run(sealer->encryption, vector, in, out, count);
}

bool pagecipher_sealer_decrypt(sealer *sealer, const uint8_t vector[VECTOR_BYTES], const uint8_t *in, uint8_t *out,
                    size_t count) {
    return run(sealer->decryption, vector, in, out, count);
}

bool pagecipher_sealer_code(sealer *sealer, const uint8_t *bytes, size_t count, uint32_t number, uint8_t *code) {
    uint8_t low_first[] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16), (uint8_t)(number >> 24)};
    CCHmacContext context = sealer->code;
    CCHmacUpdate(&context, bytes, count);
    CCHmacUpdate(&context, low_first, sizeof(low_first));
    CCHmacFinal(&context, code);
    godwit_wipe(&context, sizeof(context));
    return true;
}

struct scrambler {
    CCCryptorRef encryption, decryption;
};

static CCCryptorRef tweaked(const uint8_t *key, bool encrypts) {
    CCCryptorRef made = NULL;
    CCCryptorCreateWithMode(encrypts ? kCCEncrypt : kCCDecrypt, kCCModeXTS, kCCAlgorithmAES, ccNoPadding, NULL, key,
                            KEY_BYTES, key + KEY_BYTES, KEY_BYTES, 0, 0, &made);
    return made;
}

scrambler *pagecipher_scrambler_make(const uint8_t key[TWEAKED_KEY_BYTES]) {
    scrambler *made = calloc(1, sizeof(scrambler));
    if (!made) return NULL;
    *made = (scrambler){tweaked(key, true), tweaked(key, false)};
    if (made->encryption && made->decryption) return made;
    pagecipher_scrambler_free(made);
    return NULL;
}

void pagecipher_scrambler_free(scrambler *scrambler) {
    if (!scrambler) return;
    if (scrambler->encryption) CCCryptorRelease(scrambler->encryption);
    if (scrambler->decryption) CCCryptorRelease(scrambler->decryption);
    free(scrambler);
}

bool pagecipher_scrambler_run(scrambler *scrambler, bool encrypts, uint64_t sector, const uint8_t *in, uint8_t *out,
                   size_t count) {
    uint8_t tweak[VECTOR_BYTES] = {0};
    for (int place = 0; place < 8; place++) tweak[place] = (uint8_t)(sector >> (8 * place));
    return run(encrypts ? scrambler->encryption : scrambler->decryption, tweak, in, out, count);
}

#endif
