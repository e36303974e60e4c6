//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "LocationTrackerAssets.h"

static const unsigned char page[] = {
#embed "../Page/index.html"
};
static const unsigned char style[] = {
#embed "../Page/tracker.css"
};
static const unsigned char common[] = {
#embed "../Page/common.js"
};
static const unsigned char map[] = {
#embed "../Page/map.js"
};
static const unsigned char script[] = {
#embed "../Page/tracker.js"
};
static const unsigned char places[] = {
#embed "../Data/places.json"
};
static const unsigned char drive[] = {
#embed "../Data/tracks/drive-past-the-places.gpx"
};
static const unsigned char visnjan[] = {
#embed "../Data/tracks/around-visnjan-with-car.gpx"
};

#define ASSET(bytes)          \
    do {                      \
        *size = sizeof bytes; \
        return bytes;         \
    } while (0)

const unsigned char *location_tracker_asset(enum location_tracker_asset asset, size_t *size) {
    switch (asset) {
    case LOCATION_TRACKER_PAGE: ASSET(page);
    case LOCATION_TRACKER_STYLE: ASSET(style);
    case LOCATION_TRACKER_COMMON: ASSET(common);
    case LOCATION_TRACKER_MAP: ASSET(map);
    case LOCATION_TRACKER_SCRIPT: ASSET(script);
    case LOCATION_TRACKER_PLACES: ASSET(places);
    case LOCATION_TRACKER_TRACK_DRIVE: ASSET(drive);
    case LOCATION_TRACKER_TRACK_VISNJAN: ASSET(visnjan);
    }
    *size = 0;
    return NULL;
}
