//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "CKeys.h"

#include <string.h>

void godwit_wipe(void *bytes, size_t count) {
    if (bytes != NULL) memset(bytes, 0, count);
    // The compiler must assume that the zeros are read.
    __asm__ __volatile__("" : : "r"(bytes) : "memory");
}

bool godwit_equal(const void *left, const void *right, size_t count) {
    const volatile unsigned char *a = left, *b = right;
    unsigned char difference = 0;
    for (size_t i = 0; i < count; i++) difference |= a[i] ^ b[i];
    return difference == 0;
}
