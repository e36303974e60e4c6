//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "LocationTrackerAssets.h"

#include <string.h>

static const unsigned char page[] = {
#embed "../Page/index.html"
};
static const unsigned char style[] = {
#embed "../Page/tracker.css"
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

static const unsigned char boxes_js[] = {
#embed "../Page/boxes.js"
};
static const unsigned char common_js[] = {
#embed "../Page/common.js"
};
static const unsigned char drawing_js[] = {
#embed "../Page/drawing.js"
};
static const unsigned char grid_js[] = {
#embed "../Page/grid.js"
};
static const unsigned char groups_js[] = {
#embed "../Page/groups.js"
};
static const unsigned char labels_js[] = {
#embed "../Page/labels.js"
};
static const unsigned char locations_js[] = {
#embed "../Page/locations.js"
};
static const unsigned char locator_js[] = {
#embed "../Page/locator.js"
};
static const unsigned char map_js[] = {
#embed "../Page/map.js"
};
static const unsigned char panel_js[] = {
#embed "../Page/panel.js"
};
static const unsigned char pins_js[] = {
#embed "../Page/pins.js"
};
static const unsigned char start_js[] = {
#embed "../Page/start.js"
};
static const unsigned char tracker_js[] = {
#embed "../Page/tracker.js"
};
static const unsigned char view_js[] = {
#embed "../Page/view.js"
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
    case LOCATION_TRACKER_PLACES: ASSET(places);
    case LOCATION_TRACKER_TRACK_DRIVE: ASSET(drive);
    case LOCATION_TRACKER_TRACK_VISNJAN: ASSET(visnjan);
    }
    *size = 0;
    return NULL;
}

static const struct {
    const char *name;
    const unsigned char *bytes;
    size_t size;
} scripts[] = {
    {"boxes.js", boxes_js, sizeof boxes_js},
    {"common.js", common_js, sizeof common_js},
    {"drawing.js", drawing_js, sizeof drawing_js},
    {"grid.js", grid_js, sizeof grid_js},
    {"groups.js", groups_js, sizeof groups_js},
    {"labels.js", labels_js, sizeof labels_js},
    {"locations.js", locations_js, sizeof locations_js},
    {"locator.js", locator_js, sizeof locator_js},
    {"map.js", map_js, sizeof map_js},
    {"panel.js", panel_js, sizeof panel_js},
    {"pins.js", pins_js, sizeof pins_js},
    {"start.js", start_js, sizeof start_js},
    {"tracker.js", tracker_js, sizeof tracker_js},
    {"view.js", view_js, sizeof view_js},
};

const unsigned char *location_tracker_script(const char *name, size_t *size) {
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        if (strcmp(scripts[i].name, name) != 0) continue;
        *size = scripts[i].size;
        return scripts[i].bytes;
    }
    return NULL;
}
