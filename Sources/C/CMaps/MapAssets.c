//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "MapAssets.h"

static const unsigned char page[] = {
#embed "Map/map.html"
};
static const unsigned char style[] = {
#embed "Map/map.css"
};
static const unsigned char script[] = {
#embed "Map/map.js"
};
static const unsigned char drawing[] = {
#embed "Map/drawing.js"
};

#define ASSET(bytes)          \
    do {                      \
        *size = sizeof bytes; \
        return bytes;         \
    } while (0)

const unsigned char *map_asset(enum map_asset asset, size_t *size) {
    switch (asset) {
    case MAP_PAGE: ASSET(page);
    case MAP_STYLE: ASSET(style);
    case MAP_SCRIPT: ASSET(script);
    case MAP_DRAWING: ASSET(drawing);
    }
    *size = 0;
    return NULL;
}
