//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "BaseMap.h"

static const unsigned char pack[] = {
#embed "BaseMap/Data/base-map.pack"
};
static const unsigned char layer[] = {
#embed "BaseMap/base-map.js"
};
static const unsigned char tile[] = {
#embed "BaseMap/tile.js"
};
static const unsigned char labels[] = {
#embed "BaseMap/labels.js"
};
static const unsigned char style[] = {
#embed "BaseMap/style.js"
};

#define ASSET(bytes)          \
    do {                      \
        *size = sizeof bytes; \
        return bytes;         \
    } while (0)

const unsigned char *base_map_asset(enum base_map_asset asset, size_t *size) {
    switch (asset) {
    case BASE_MAP_PACK: ASSET(pack);
    case BASE_MAP_LAYER: ASSET(layer);
    case BASE_MAP_TILE: ASSET(tile);
    case BASE_MAP_LABELS: ASSET(labels);
    case BASE_MAP_STYLE: ASSET(style);
    }
    *size = 0;
    return NULL;
}
