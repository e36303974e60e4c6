//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_MAP_ASSETS_H
#define GODWIT_MAP_ASSETS_H

#include <stddef.h>

/// The page of a geospatial index, embedded when the program is built.
enum map_asset {
    MAP_PAGE,
    MAP_STYLE,
    MAP_SCRIPT,
    MAP_DRAWING,
};

/// The bytes of an asset; they are valid while the program runs.
const unsigned char *map_asset(enum map_asset asset, size_t *size);

#endif
