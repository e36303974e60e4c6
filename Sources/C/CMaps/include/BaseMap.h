//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_BASE_MAP_H
#define GODWIT_BASE_MAP_H

#include <stddef.h>

/// The vector tiles of the world and the scripts that draw them, embedded when the program is built.
enum base_map_asset {
    BASE_MAP_PACK,
    BASE_MAP_LAYER,
    BASE_MAP_TILE,
    BASE_MAP_LABELS,
    BASE_MAP_STYLE,
};

/// The bytes of an asset; they are valid while the program runs.
const unsigned char *base_map_asset(enum base_map_asset asset, size_t *size);

#endif
