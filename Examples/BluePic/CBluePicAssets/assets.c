//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "CBluePicAssets.h"

#include <string.h>

static const unsigned char bluepic_css[] = {
#embed "../Page/bluepic.css"
};
static const unsigned char bluepic_js[] = {
#embed "../Page/bluepic.js"
};
static const unsigned char device_api_js[] = {
#embed "../../Device/Page/api.js"
};
static const unsigned char device_app_js[] = {
#embed "../DevicePage/app.js"
};
static const unsigned char device_camera_js[] = {
#embed "../../Device/Page/camera.js"
};
static const unsigned char device_device_css[] = {
#embed "../DevicePage/device.css"
};
static const unsigned char device_elements_js[] = {
#embed "../../Device/Page/elements.js"
};
static const unsigned char device_index_html[] = {
#embed "../DevicePage/index.html"
};
static const unsigned char device_parts_css[] = {
#embed "../../Device/Page/parts.css"
};
static const unsigned char device_photo_card_js[] = {
#embed "../DevicePage/photo-card.js"
};
static const unsigned char device_screens_feed_js[] = {
#embed "../DevicePage/screens-feed.js"
};
static const unsigned char device_screens_photo_js[] = {
#embed "../DevicePage/screens-photo.js"
};
static const unsigned char device_screens_post_js[] = {
#embed "../DevicePage/screens-post.js"
};
static const unsigned char device_screens_profile_js[] = {
#embed "../DevicePage/screens-profile.js"
};
static const unsigned char device_screens_start_js[] = {
#embed "../../Device/Page/screens-start.js"
};
static const unsigned char device_shell_js[] = {
#embed "../../Device/Page/shell.js"
};
static const unsigned char device_state_js[] = {
#embed "../../Device/Page/state.js"
};
static const unsigned char device_tabs_js[] = {
#embed "../DevicePage/tabs.js"
};
static const unsigned char device_texts_shared_js[] = {
#embed "../../Device/Page/texts-shared.js"
};
static const unsigned char device_texts_js[] = {
#embed "../DevicePage/texts.js"
};
static const unsigned char icon_svg[] = {
#embed "../Page/icon.svg"
};
static const unsigned char photo1_jpg[] = {
#embed "../../GeoPix/Photos/alps-at-dawn.jpg"
};
static const unsigned char photo2_jpg[] = {
#embed "../../GeoPix/Photos/fjord-in-fog.jpg"
};
static const unsigned char photo3_jpg[] = {
#embed "../../GeoPix/Photos/volcano-island.jpg"
};

static const struct {
    const char *name;
    const unsigned char *start;
    size_t size;
} assets[] = {
    {"bluepic.css", bluepic_css, sizeof bluepic_css},
    {"bluepic.js", bluepic_js, sizeof bluepic_js},
    {"device/api.js", device_api_js, sizeof device_api_js},
    {"device/app.js", device_app_js, sizeof device_app_js},
    {"device/camera.js", device_camera_js, sizeof device_camera_js},
    {"device/device.css", device_device_css, sizeof device_device_css},
    {"device/elements.js", device_elements_js, sizeof device_elements_js},
    {"device/icon.svg", icon_svg, sizeof icon_svg},
    {"device/index.html", device_index_html, sizeof device_index_html},
    {"device/parts.css", device_parts_css, sizeof device_parts_css},
    {"device/photo-card.js", device_photo_card_js, sizeof device_photo_card_js},
    {"device/screens-feed.js", device_screens_feed_js, sizeof device_screens_feed_js},
    {"device/screens-photo.js", device_screens_photo_js, sizeof device_screens_photo_js},
    {"device/screens-post.js", device_screens_post_js, sizeof device_screens_post_js},
    {"device/screens-profile.js", device_screens_profile_js, sizeof device_screens_profile_js},
    {"device/screens-start.js", device_screens_start_js, sizeof device_screens_start_js},
    {"device/shell.js", device_shell_js, sizeof device_shell_js},
    {"device/state.js", device_state_js, sizeof device_state_js},
    {"device/tabs.js", device_tabs_js, sizeof device_tabs_js},
    {"device/texts-shared.js", device_texts_shared_js, sizeof device_texts_shared_js},
    {"device/texts.js", device_texts_js, sizeof device_texts_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"photo1.jpg", photo1_jpg, sizeof photo1_jpg},
    {"photo2.jpg", photo2_jpg, sizeof photo2_jpg},
    {"photo3.jpg", photo3_jpg, sizeof photo3_jpg},
};

const unsigned char *bluepic_asset(const char *name, size_t *size) {
    for (size_t index = 0; index < sizeof assets / sizeof assets[0]; index++) {
        if (strcmp(assets[index].name, name) == 0) {
            *size = assets[index].size;
            return assets[index].start;
        }
    }
    return NULL;
}
