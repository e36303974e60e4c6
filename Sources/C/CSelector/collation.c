//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "collation.h"

// Unicode's data: Data/README.md.
static const _Alignas(16) uint8_t table[] = {
#embed "Data/collation.bin"
};

const uint8_t *godwit_collation_table(size_t *size) {
    *size = sizeof(table);
    return table;
}
