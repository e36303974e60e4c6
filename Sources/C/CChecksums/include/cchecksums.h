//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Checksums of S3's protocol: CRC-32C (Castagnoli), CRC-64/NVME and XXH64.

#ifndef GODWIT_CCHECKSUMS_H
#define GODWIT_CCHECKSUMS_H

#include <stddef.h>
#include <stdint.h>

/// Adds bytes to a CRC-32C, which is 0 before the first ones.
uint32_t cchecksums_crc32c(uint32_t crc, const void *bytes, size_t count);

/// Adds bytes to a CRC-64/NVME, which is 0 before the first ones.
uint64_t cchecksums_crc64nvme(uint64_t crc, const void *bytes, size_t count);

/// Returns the CRC of two texts in a row: `first` is the CRC of the first text, `second` that of the second one, which
/// has `second_count` bytes. The CRC is reflected, its initial value and its final mask are all ones.
///
/// `polynomial` is the reflected polynomial, `width` its degree: 32 or 64.
uint64_t cchecksums_combine_crc(uint64_t first, uint64_t second, uint64_t second_count, uint64_t polynomial, int width);

/// The state of an XXH64 with the seed 0.
typedef struct {
    uint64_t lanes[4];
    uint64_t byte_count;
    uint8_t pending[32];
    size_t pending_count;
} cchecksums_xxh64;

/// Begins an XXH64.
void cchecksums_xxh64_begin(cchecksums_xxh64 *state);

/// Adds bytes to an XXH64.
void cchecksums_xxh64_add(cchecksums_xxh64 *state, const void *bytes, size_t count);

/// Returns the XXH64 of the added bytes. The state does not change.
uint64_t cchecksums_xxh64_value(const cchecksums_xxh64 *state);

#endif
