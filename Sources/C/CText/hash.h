//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_TEXTWORDS_HASH_H
#define GODWIT_TEXTWORDS_HASH_H

#include <stddef.h>
#include <stdint.h>

static const uint64_t godwit_hash_seed = 0xcbf29ce484222325;

/// Adds bytes to a hash (FNV-1a, 64 bits).
static inline uint64_t godwit_hash(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *byte = bytes;
    for (size_t place = 0; place < count; place++) hash = (hash ^ byte[place]) * 0x100000001b3;
    return hash;
}

#endif
