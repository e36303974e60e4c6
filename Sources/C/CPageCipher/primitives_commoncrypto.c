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

// XTS (IEEE 1619) over the function of a block. CommonCrypto has the mode too, but refuses a new vector for it: since macOS
// 10.13 and iOS 11, `CCCryptorReset` fails in modes other than CBC and CTR.

struct scrambler {
    CCCryptorRef encryption, decryption, tweaks;
};

static CCCryptorRef blocks(CCOperation operation, const uint8_t *key) {
    CCCryptorRef made = NULL;
    CCCryptorCreate(operation, kCCAlgorithmAES, kCCOptionECBMode, key, KEY_BYTES, NULL, &made);
    return made;
}

scrambler *pagecipher_scrambler_make(const uint8_t key[TWEAKED_KEY_BYTES]) {
    scrambler *made = calloc(1, sizeof(scrambler));
    if (!made) return NULL;
    *made = (scrambler){blocks(kCCEncrypt, key), blocks(kCCDecrypt, key), blocks(kCCEncrypt, key + KEY_BYTES)};
    if (made->encryption && made->decryption && made->tweaks) return made;
    pagecipher_scrambler_free(made);
    return NULL;
}

void pagecipher_scrambler_free(scrambler *scrambler) {
    if (!scrambler) return;
    if (scrambler->encryption) CCCryptorRelease(scrambler->encryption);
    if (scrambler->decryption) CCCryptorRelease(scrambler->decryption);
    if (scrambler->tweaks) CCCryptorRelease(scrambler->tweaks);
    free(scrambler);
}

static bool permute(CCCryptorRef cryptor, const uint8_t *in, uint8_t *out, size_t count) {
    size_t written = 0;
    return CCCryptorUpdate(cryptor, in, count, out, count, &written) == kCCSuccess && written == count;
}

/// Multiplies by x in the field of 2^128 elements.
static void next_tweak(const uint8_t *tweak, uint8_t *next) {
    uint8_t carry = tweak[VECTOR_BYTES - 1] >> 7 ? 0x87 : 0;
    for (int place = 0; place < VECTOR_BYTES; place++) {
        uint8_t byte = tweak[place];
        next[place] = (uint8_t)(byte << 1) ^ carry;
        carry = byte >> 7;
    }
}

bool pagecipher_scrambler_run(scrambler *scrambler, bool encrypts, uint64_t sector, const uint8_t *in, uint8_t *out,
                   size_t count) {
    enum { PIECE_BYTES = 64 * VECTOR_BYTES };
    if (count % VECTOR_BYTES != 0) return false;
    // The tweaks of a piece, and the first of the next one.
    uint8_t tweaks[PIECE_BYTES + VECTOR_BYTES], mixed[PIECE_BYTES], number[VECTOR_BYTES] = {0};
    for (int place = 0; place < 8; place++) number[place] = (uint8_t)(sector >> (8 * place));
    if (!permute(scrambler->tweaks, number, tweaks, VECTOR_BYTES)) return false;
    CCCryptorRef cryptor = encrypts ? scrambler->encryption : scrambler->decryption;
    for (size_t done = 0; done < count;) {
        size_t piece = count - done < PIECE_BYTES ? count - done : PIECE_BYTES;
        for (size_t at = 0; at < piece; at += VECTOR_BYTES) next_tweak(tweaks + at, tweaks + at + VECTOR_BYTES);
        for (size_t at = 0; at < piece; at++) mixed[at] = in[done + at] ^ tweaks[at];
        if (!permute(cryptor, mixed, out + done, piece)) return false;
        for (size_t at = 0; at < piece; at++) out[done + at] ^= tweaks[at];
        memcpy(tweaks, tweaks + piece, VECTOR_BYTES);
        done += piece;
    }
    godwit_wipe(mixed, sizeof(mixed));
    return true;
}

#endif
