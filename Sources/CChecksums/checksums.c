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
