//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Checksums of S3's protocol: CRC-32C (Castagnoli) and CRC-64/NVME.

#ifndef GODWIT_CCHECKSUMS_H
#define GODWIT_CCHECKSUMS_H

#include <stddef.h>
#include <stdint.h>

/// Adds bytes to a CRC-32C, which is 0 before the first ones.
uint32_t cchecksums_crc32c(uint32_t crc, const void *bytes, size_t count);

/// Adds bytes to a CRC-64/NVME, which is 0 before the first ones.
uint64_t cchecksums_crc64nvme(uint64_t crc, const void *bytes, size_t count);

#endif
