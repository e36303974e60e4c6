//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "CGeoPixAssets.h"

#include <string.h>

static const unsigned char device_api_js[] = {
#embed "../DevicePage/api.js"
};
static const unsigned char device_camera_js[] = {
#embed "../DevicePage/camera.js"
};
static const unsigned char device_device_js[] = {
#embed "../DevicePage/device.js"
};
static const unsigned char device_elements_js[] = {
#embed "../DevicePage/elements.js"
};
static const unsigned char device_galleries_js[] = {
#embed "../DevicePage/galleries.js"
};
static const unsigned char device_index_html[] = {
#embed "../DevicePage/index.html"
};
static const unsigned char device_location_js[] = {
#embed "../DevicePage/location.js"
};
static const unsigned char device_parallax_js[] = {
#embed "../DevicePage/parallax.js"
};
static const unsigned char device_screens_camera_js[] = {
#embed "../DevicePage/screens-camera.js"
};
static const unsigned char device_screens_home_js[] = {
#embed "../DevicePage/screens-home.js"
};
static const unsigned char device_screens_start_js[] = {
#embed "../DevicePage/screens-start.js"
};
static const unsigned char device_state_js[] = {
#embed "../DevicePage/state.js"
};
static const unsigned char device_texts_js[] = {
#embed "../DevicePage/texts.js"
};
static const unsigned char device_upload_list_js[] = {
#embed "../DevicePage/upload-list.js"
};
static const unsigned char device_uploads_js[] = {
#embed "../DevicePage/uploads.js"
};

static const struct {
    const char *name;
    const unsigned char *bytes;
    size_t size;
} files[] = {
    {"device/api.js", device_api_js, sizeof device_api_js},
    {"device/camera.js", device_camera_js, sizeof device_camera_js},
    {"device/device.js", device_device_js, sizeof device_device_js},
    {"device/elements.js", device_elements_js, sizeof device_elements_js},
    {"device/galleries.js", device_galleries_js, sizeof device_galleries_js},
    {"device/index.html", device_index_html, sizeof device_index_html},
    {"device/location.js", device_location_js, sizeof device_location_js},
    {"device/parallax.js", device_parallax_js, sizeof device_parallax_js},
    {"device/screens-camera.js", device_screens_camera_js, sizeof device_screens_camera_js},
    {"device/screens-home.js", device_screens_home_js, sizeof device_screens_home_js},
    {"device/screens-start.js", device_screens_start_js, sizeof device_screens_start_js},
    {"device/state.js", device_state_js, sizeof device_state_js},
    {"device/texts.js", device_texts_js, sizeof device_texts_js},
    {"device/upload-list.js", device_upload_list_js, sizeof device_upload_list_js},
    {"device/uploads.js", device_uploads_js, sizeof device_uploads_js},
};

const unsigned char *geopix_asset(const char *name, size_t *size) {
    for (size_t index = 0; index < sizeof files / sizeof *files; index++) {
        if (strcmp(files[index].name, name) != 0) continue;
        *size = files[index].size;
        return files[index].bytes;
    }
    return NULL;
}
