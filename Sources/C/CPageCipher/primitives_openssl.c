//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if defined(GODWIT_SYSTEM_LIBRARIES)

#include "primitives.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <stdlib.h>

bool pagecipher_random(uint8_t *bytes, size_t count) { return RAND_bytes(bytes, (int)count) == 1; }

bool pagecipher_stretch(codedigest digest, const void *password, size_t length, const uint8_t *salt, size_t salt_length,
                        uint32_t rounds, uint8_t key[KEY_BYTES]) {
    return PKCS5_PBKDF2_HMAC(password, (int)length, salt, (int)salt_length, (int)rounds,
                             digest == SHA_512 ? EVP_sha512() : EVP_sha1(), KEY_BYTES, key) == 1;
}

struct sealer {
    EVP_CIPHER_CTX *encryption, *decryption;
    EVP_MAC_CTX *code;
    uint32_t code_bytes;
};

static EVP_CIPHER_CTX *chained(const uint8_t *key, bool encrypts) {
    EVP_CIPHER_CTX *made = EVP_CIPHER_CTX_new();
    if (!made) return NULL;
    if (EVP_CipherInit_ex(made, EVP_aes_256_cbc(), NULL, key, NULL, encrypts) == 1
        && EVP_CIPHER_CTX_set_padding(made, 0) == 1)
        return made;
    EVP_CIPHER_CTX_free(made);
    return NULL;
}

static EVP_MAC_CTX *keyed_code(codedigest digest, const uint8_t *key) {
    EVP_MAC *kind = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *made = kind ? EVP_MAC_CTX_new(kind) : NULL;
    EVP_MAC_free(kind);
    char sha_512[] = "SHA512", sha_1[] = "SHA1";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest == SHA_512 ? sha_512 : sha_1, 0), OSSL_PARAM_END};
    if (made && EVP_MAC_init(made, key, KEY_BYTES, parameters) == 1) return made;
    EVP_MAC_CTX_free(made);
    return NULL;
}

sealer *pagecipher_sealer_make(codedigest digest, const uint8_t key[KEY_BYTES], const uint8_t code_key[KEY_BYTES]) {
    sealer *made = calloc(1, sizeof(sealer));
    if (!made) return NULL;
    *made = (sealer){chained(key, true), chained(key, false), keyed_code(digest, code_key), pagecipher_code_bytes(digest)};
    if (made->encryption && made->decryption && made->code) return made;
    pagecipher_sealer_free(made);
    return NULL;
}

void pagecipher_sealer_free(sealer *sealer) {
    if (!sealer) return;
    // The library erases the keys of its contexts.
    EVP_CIPHER_CTX_free(sealer->encryption);
    EVP_CIPHER_CTX_free(sealer->decryption);
    EVP_MAC_CTX_free(sealer->code);
    free(sealer);
}

static bool run(EVP_CIPHER_CTX *context, const uint8_t *vector, const uint8_t *in, uint8_t *out, size_t count) {
    int written = 0;
    return EVP_CipherInit_ex(context, NULL, NULL, NULL, vector, -1) == 1
        && EVP_CipherUpdate(context, out, &written, in, (int)count) == 1 && (size_t)written == count;
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
    size_t written = 0;
    return EVP_MAC_init(sealer->code, NULL, 0, NULL) == 1 && EVP_MAC_update(sealer->code, bytes, count) == 1
        && EVP_MAC_update(sealer->code, low_first, sizeof(low_first)) == 1
        && EVP_MAC_final(sealer->code, code, &written, CODE_BYTES_MAX) == 1 && written == sealer->code_bytes;
}

struct scrambler {
    EVP_CIPHER_CTX *encryption, *decryption;
};

static EVP_CIPHER_CTX *tweaked(const uint8_t *key, bool encrypts) {
    EVP_CIPHER_CTX *made = EVP_CIPHER_CTX_new();
    if (made && EVP_CipherInit_ex(made, EVP_aes_256_xts(), NULL, key, NULL, encrypts) == 1) return made;
    EVP_CIPHER_CTX_free(made);
    return NULL;
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
    EVP_CIPHER_CTX_free(scrambler->encryption);
    EVP_CIPHER_CTX_free(scrambler->decryption);
    free(scrambler);
}

bool pagecipher_scrambler_run(scrambler *scrambler, bool encrypts, uint64_t sector, const uint8_t *in, uint8_t *out,
                   size_t count) {
    uint8_t tweak[VECTOR_BYTES] = {0};
    for (int place = 0; place < 8; place++) tweak[place] = (uint8_t)(sector >> (8 * place));
    return run(encrypts ? scrambler->encryption : scrambler->decryption, tweak, in, out, count);
}

#endif
