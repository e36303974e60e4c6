//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "cchecksums.h"

#include <pthread.h>
#include <string.h>

// Eight bytes are handled at once with eight tables: table k has the remainder of a byte that k further bytes follow.

static uint32_t tables32[8][256];
static uint64_t tables64[8][256];

static void make_tables(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t short_rest = byte;
        uint64_t long_rest = byte;
        for (int bit = 0; bit < 8; bit++) {
            short_rest = short_rest >> 1 ^ (short_rest & 1 ? 0x82f63b78u : 0);
            long_rest = long_rest >> 1 ^ (long_rest & 1 ? 0x9a6c9329ac4bc9b5u : 0);
        }
        tables32[0][byte] = short_rest;
        tables64[0][byte] = long_rest;
    }
    for (int table = 1; table < 8; table++) {
        for (int byte = 0; byte < 256; byte++) {
            uint32_t short_rest = tables32[table - 1][byte];
            uint64_t long_rest = tables64[table - 1][byte];
            tables32[table][byte] = short_rest >> 8 ^ tables32[0][short_rest & 0xff];
            tables64[table][byte] = long_rest >> 8 ^ tables64[0][long_rest & 0xff];
        }
    }
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

/// Reads eight bytes as a little-endian number.
static uint64_t word(const uint8_t *bytes) {
    uint64_t value = 0;
    for (int index = 7; index >= 0; index--) value = value << 8 | bytes[index];
    return value;
}

uint32_t cchecksums_crc32c(uint32_t crc, const void *bytes, size_t count) {
    pthread_once(&once, make_tables);
    const uint8_t *next = bytes;
    uint32_t rest = ~crc;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t value = word(next) ^ rest;
        rest = 0;
        for (int index = 0; index < 8; index++) rest ^= tables32[7 - index][value >> (8 * index) & 0xff];
    }
    for (; count > 0; count--) rest = rest >> 8 ^ tables32[0][(rest ^ *next++) & 0xff];
    return ~rest;
}

uint64_t cchecksums_crc64nvme(uint64_t crc, const void *bytes, size_t count) {
    pthread_once(&once, make_tables);
    const uint8_t *next = bytes;
    uint64_t rest = ~crc;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t value = word(next) ^ rest;
        rest = 0;
        for (int index = 0; index < 8; index++) rest ^= tables64[7 - index][value >> (8 * index) & 0xff];
    }
    for (; count > 0; count--) rest = rest >> 8 ^ tables64[0][(rest ^ *next++) & 0xff];
    return ~rest;
}

// Combination of CRCs, as in zlib: the CRC of the first text is multiplied by x to the power of the number of bits of the
// second text, modulo the polynomial. Numbers are reflected: the highest bit is the coefficient of x to the power of 0.

static uint64_t multiply(uint64_t one, uint64_t other, uint64_t polynomial, int width) {
    uint64_t product = 0;
    for (uint64_t bit = UINT64_C(1) << (width - 1); bit != 0; bit >>= 1) {
        if (one & bit) product ^= other;
        other = other >> 1 ^ (other & 1 ? polynomial : 0);
    }
    return product;
}

uint64_t cchecksums_combine_crc(
    uint64_t first, uint64_t second, uint64_t second_count, uint64_t polynomial, int width) {
    uint64_t shift = UINT64_C(1) << (width - 1);
    uint64_t power = UINT64_C(1) << (width - 9);
    for (uint64_t rest = second_count; rest != 0; rest >>= 1) {
        if (rest & 1) shift = multiply(shift, power, polynomial, width);
        power = multiply(power, power, polynomial, width);
    }
    return multiply(shift, first, polynomial, width) ^ second;
}

// XXH64, by the specification of xxHash (doc/xxhash_spec.md, version 0.2.0).

static const uint64_t prime1 = UINT64_C(0x9E3779B185EBCA87), prime2 = UINT64_C(0xC2B2AE3D27D4EB4F),
                      prime3 = UINT64_C(0x165667B19E3779F9), prime4 = UINT64_C(0x85EBCA77C2B2AE63),
                      prime5 = UINT64_C(0x27D4EB2F165667C5);

static uint64_t rotated(uint64_t value, int count) { return value << count | value >> (64 - count); }

static uint64_t round64(uint64_t lane, uint64_t input) { return rotated(lane + input * prime2, 31) * prime1; }

static void add_stripe(cchecksums_xxh64 *state, const uint8_t *stripe) {
    for (int lane = 0; lane < 4; lane++) state->lanes[lane] = round64(state->lanes[lane], word(stripe + 8 * lane));
}

void cchecksums_xxh64_begin(cchecksums_xxh64 *state) {
    memset(state, 0, sizeof *state);
    state->lanes[0] = prime1 + prime2;
    state->lanes[1] = prime2;
    state->lanes[3] = 0 - prime1;
}

void cchecksums_xxh64_add(cchecksums_xxh64 *state, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    state->byte_count += count;
    if (state->pending_count > 0) {
        size_t space = sizeof state->pending - state->pending_count;
        size_t taken = count < space ? count : space;
        if (taken > 0) memcpy(state->pending + state->pending_count, next, taken);
        state->pending_count += taken;
        next += taken;
        count -= taken;
        if (state->pending_count < sizeof state->pending) return;
        add_stripe(state, state->pending);
        state->pending_count = 0;
    }
    for (; count >= sizeof state->pending; count -= sizeof state->pending, next += sizeof state->pending) {
        add_stripe(state, next);
    }
    if (count > 0) memcpy(state->pending, next, count);
    state->pending_count = count;
}

uint64_t cchecksums_xxh64_value(const cchecksums_xxh64 *state) {
    const uint64_t *lanes = state->lanes;
    uint64_t value = prime5;
    if (state->byte_count >= sizeof state->pending) {
        value = rotated(lanes[0], 1) + rotated(lanes[1], 7) + rotated(lanes[2], 12) + rotated(lanes[3], 18);
        for (int lane = 0; lane < 4; lane++) value = (value ^ round64(0, lanes[lane])) * prime1 + prime4;
    }
    value += state->byte_count;
    const uint8_t *next = state->pending, *end = next + state->pending_count;
    for (; end - next >= 8; next += 8) value = rotated(value ^ round64(0, word(next)), 27) * prime1 + prime4;
    if (end - next >= 4) {
        value = rotated(value ^ (word(next) & 0xffffffff) * prime1, 23) * prime2 + prime3;
        next += 4;
    }
    for (; next < end; next++) value = rotated(value ^ *next * prime5, 11) * prime1;
    value = (value ^ value >> 33) * prime2;
    value = (value ^ value >> 29) * prime3;
    return value ^ value >> 32;
}
