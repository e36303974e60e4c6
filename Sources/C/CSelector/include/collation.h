//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_COLLATION_H
#define GODWIT_COLLATION_H

#include <stddef.h>
#include <stdint.h>

/// The table of the root collation, in the format of `Scripts/collation.py`, aligned to 16 bytes.
const uint8_t *_Nonnull godwit_collation_table(size_t *_Nonnull size);

#endif
