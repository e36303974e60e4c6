//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Prints the results of Godwit's functions of cryptography on seeded input, so that two libraries can be compared.
//   vectors                prints results
//   vectors write FILE     makes an encrypted database, with sorting in temporary files
//   vectors read FILE      prints its content

#include "ccrypto.h"
#include "primitives.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252;

static uint64_t random_number(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void fill(uint8_t *bytes, size_t count) {
    for (size_t at = 0; at < count; at++) bytes[at] = (uint8_t)random_number();
}

static void print(const char *name, const uint8_t *bytes, size_t count) {
    printf("%s ", name);
    for (size_t at = 0; at < count; at++) printf("%02x", bytes[at]);
    printf("\n");
}

enum { BYTES_MAX = 9000 };
static uint8_t input[BYTES_MAX], output[BYTES_MAX + 64], again[BYTES_MAX + 64];

static void digests(size_t count) {
    static const size_t sizes[] = {32, 16, 20};
    for (int algorithm = CCRYPTO_SHA256; algorithm <= CCRYPTO_SHA1; algorithm++) {
        ccrypto_digest *digest = ccrypto_digest_make((ccrypto_algorithm)algorithm);
        size_t first = count == 0 ? 0 : random_number() % count;
        ccrypto_digest_update(digest, input, first);
        ccrypto_digest *copy = ccrypto_digest_copy(digest);
        ccrypto_digest_update(digest, input + first, count - first);
        ccrypto_digest_finish(digest, output);
        ccrypto_digest_finish(copy, again);
        print("digest", output, sizes[algorithm]);
        print("digest of a part", again, sizes[algorithm]);
        ccrypto_digest_free(digest);
        ccrypto_digest_free(copy);
    }
}

/// Decrypts AES-CBC in parts of random sizes. `input` has whole blocks, whose last byte is made a padding half of the time.
static void chained(size_t count, const uint8_t *key, const uint8_t *vector) {
    uint8_t sealed[BYTES_MAX];
    memcpy(sealed, input, count);
    if (random_number() % 2) {
        size_t padding = random_number() % 17;
        memset(sealed + count - 16, (int)padding, 16);
        if (random_number() % 4 == 0) sealed[count - 2] ^= 1;
    }
    sealer *maker = pagecipher_sealer_make(SHA_512, key, key);
    pagecipher_sealer_encrypt(maker, vector, sealed, again, count);
    pagecipher_sealer_free(maker);
    size_t rest = random_number() % 8 == 0 ? count - 1 : count, done = 0;
    ccrypto_cbc *decryption = ccrypto_cbc_make(key, vector);
    for (size_t at = 0; at < rest;) {
        size_t part = random_number() % 70;
        if (part > rest - at) part = rest - at;
        done += (size_t)ccrypto_cbc_update(decryption, again + at, part, output + done);
        at += part;
    }
    ptrdiff_t last = ccrypto_cbc_finish(decryption, output + done);
    ccrypto_cbc_free(decryption);
    if (last < 0) printf("the padding is damaged\n");
    else print("decrypted", output, done + (size_t)last);
}

static void print_vectors(void) {
    for (int round = 0; round < 400; round++) {
        uint8_t key[TWEAKED_KEY_BYTES], vector[VECTOR_BYTES], code[CODE_BYTES_MAX], derived[KEY_BYTES];
        size_t count = random_number() % (BYTES_MAX + 1), whole = count / 16 * 16;
        fill(input, count);
        fill(key, sizeof key);
        fill(vector, sizeof vector);
        digests(count);
        if (whole > 0) chained(whole, key, vector);
        for (int digest = SHA_512; digest <= SHA_1; digest++) {
            sealer *sealer = pagecipher_sealer_make((codedigest)digest, key, key + KEY_BYTES);
            // Twice, because the prepared keys are used again.
            for (int twice = 0; twice < 2; twice++) {
                assert(pagecipher_sealer_encrypt(sealer, vector, input, output, whole));
                assert(pagecipher_sealer_decrypt(sealer, vector, output, again, whole));
                assert(memcmp(again, input, whole) == 0);
                assert(pagecipher_sealer_code(sealer, output, whole, (uint32_t)random_number(), code));
                print("sealed", output, whole);
                print("code", code, pagecipher_code_bytes((codedigest)digest));
            }
            pagecipher_sealer_free(sealer);
            assert(pagecipher_stretch((codedigest)digest, input, count % 100, vector, 16, 1 + random_number() % 50, derived));
            print("stretched", derived, sizeof derived);
        }
        assert(ccrypto_pbkdf2_sha1(input, count % 100, vector, 8, 1 + random_number() % 50, output, 1 + random_number() % 60));
        print("derived", output, 1);
        scrambler *scrambler = pagecipher_scrambler_make(key);
        uint64_t sector = random_number() >> random_number() % 64;
        for (int twice = 0; whole > 0 && twice < 2; twice++) {
            assert(pagecipher_scrambler_run(scrambler, true, sector, input, output, whole));
            assert(pagecipher_scrambler_run(scrambler, false, sector, output, again, whole));
            assert(memcmp(again, input, whole) == 0);
            print("scrambled", output, whole);
        }
        pagecipher_scrambler_free(scrambler);
        assert(pagecipher_random(key, sizeof key));
    }
}

static int show(void *unused, int count, char **values, char **names) {
    (void)unused;
    (void)names;
    for (int column = 0; column < count; column++) printf("%s ", values[column]);
    printf("\n");
    return 0;
}

static void run(sqlite3 *database, const char *statement) {
    char *message = NULL;
    if (sqlite3_exec(database, statement, show, NULL, &message) == SQLITE_OK) return;
    fprintf(stderr, "%s: %s\n", statement, message);
    exit(1);
}

int main(int count, char **arguments) {
    if (count == 1) {
        print_vectors();
        return 0;
    }
    uint8_t key[KEY_BYTES];
    fill(key, sizeof key);
    pagecipher *cipher = pagecipher_make("sealed", NULL, PAGECIPHER_KEY, key, sizeof key, PAGECIPHER_SQLCIPHER_4, 4096);
    sqlite3 *database = NULL;
    if (!cipher || sqlite3_open_v2(arguments[2], &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "sealed") != SQLITE_OK) return 1;
    int reserved = (int)pagecipher_reserved_bytes(PAGECIPHER_SQLCIPHER_4);
    sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
    run(database, "PRAGMA temp_store = FILE; PRAGMA cache_size = 20; PRAGMA temp.cache_size = 5");
    if (strcmp(arguments[1], "write") == 0) {
        run(database, "PRAGMA journal_mode = WAL; CREATE TABLE words (number INTEGER PRIMARY KEY, word TEXT)");
        run(database, "INSERT INTO words SELECT value, hex(value * 2654435761 % 1000003) FROM (WITH RECURSIVE numbers(value) AS "
                      "(SELECT 1 UNION ALL SELECT value + 1 FROM numbers LIMIT 50000) SELECT value FROM numbers)");
        run(database, "CREATE TEMP TABLE copy AS SELECT * FROM words ORDER BY word; UPDATE words SET word = word || "
                      "(SELECT copy.word FROM copy WHERE copy.rowid = number); DELETE FROM words WHERE number % 7 = 0");
    }
    run(database, "PRAGMA integrity_check; SELECT count(*), sum(length(word)), min(word), max(word) FROM words; "
                  "SELECT word FROM words ORDER BY word LIMIT 3");
    sqlite3_close(database);
    pagecipher_free(cipher);
    return 0;
}
