//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "CGeoPixAssets.h"

#include <string.h>

static const unsigned char device_api_js[] = {
#embed "../../Device/Page/api.js"
};
static const unsigned char device_camera_js[] = {
#embed "../../Device/Page/camera.js"
};
static const unsigned char device_device_css[] = {
#embed "../DevicePage/device.css"
};
static const unsigned char device_device_js[] = {
#embed "../DevicePage/device.js"
};
static const unsigned char device_elements_js[] = {
#embed "../../Device/Page/elements.js"
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
static const unsigned char device_parts_css[] = {
#embed "../../Device/Page/parts.css"
};
static const unsigned char device_photo_addresses_js[] = {
#embed "../DevicePage/photo-addresses.js"
};
static const unsigned char device_photo_details_js[] = {
#embed "../DevicePage/photo-details.js"
};
static const unsigned char device_photo_grid_js[] = {
#embed "../DevicePage/photo-grid.js"
};
static const unsigned char device_place_map_js[] = {
#embed "../DevicePage/place-map.js"
};
static const unsigned char device_returned_html[] = {
#embed "../DevicePage/returned.html"
};
static const unsigned char device_screens_camera_js[] = {
#embed "../DevicePage/screens-camera.js"
};
static const unsigned char device_screens_gallery_js[] = {
#embed "../DevicePage/screens-gallery.js"
};
static const unsigned char device_screens_home_js[] = {
#embed "../DevicePage/screens-home.js"
};
static const unsigned char device_screens_photo_js[] = {
#embed "../DevicePage/screens-photo.js"
};
static const unsigned char device_screens_settings_js[] = {
#embed "../DevicePage/screens-settings.js"
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
static const unsigned char device_swipes_js[] = {
#embed "../DevicePage/swipes.js"
};
static const unsigned char device_texts_shared_js[] = {
#embed "../../Device/Page/texts-shared.js"
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
static const unsigned char web_address_js[] = {
#embed "../Page/address.js"
};
static const unsigned char web_app_js[] = {
#embed "../Page/app.js"
};
static const unsigned char web_elements_js[] = {
#embed "../Page/elements.js"
};
static const unsigned char web_full_js[] = {
#embed "../Page/full.js"
};
static const unsigned char web_list_css[] = {
#embed "../Page/list.css"
};
static const unsigned char web_live_js[] = {
#embed "../Page/live.js"
};
static const unsigned char web_map_css[] = {
#embed "../Page/map.css"
};
static const unsigned char web_map_html[] = {
#embed "../Page/map.html"
};
static const unsigned char web_map_js[] = {
#embed "../Page/map.js"
};
static const unsigned char web_near_js[] = {
#embed "../Page/near.js"
};
static const unsigned char web_panel_js[] = {
#embed "../Page/panel.js"
};
static const unsigned char web_photos_js[] = {
#embed "../Page/photos.js"
};
static const unsigned char web_pins_js[] = {
#embed "../Page/pins.js"
};
static const unsigned char web_texts_js[] = {
#embed "../Page/texts.js"
};
static const unsigned char web_times_js[] = {
#embed "../Page/times.js"
};
static const unsigned char web_view_js[] = {
#embed "../Page/view.js"
};

static const struct {
    const char *name;
    const unsigned char *bytes;
    size_t size;
} files[] = {
    {"device/api.js", device_api_js, sizeof device_api_js},
    {"device/camera.js", device_camera_js, sizeof device_camera_js},
    {"device/device.css", device_device_css, sizeof device_device_css},
    {"device/device.js", device_device_js, sizeof device_device_js},
    {"device/elements.js", device_elements_js, sizeof device_elements_js},
    {"device/galleries.js", device_galleries_js, sizeof device_galleries_js},
    {"device/index.html", device_index_html, sizeof device_index_html},
    {"device/location.js", device_location_js, sizeof device_location_js},
    {"device/parallax.js", device_parallax_js, sizeof device_parallax_js},
    {"device/parts.css", device_parts_css, sizeof device_parts_css},
    {"device/photo-addresses.js", device_photo_addresses_js, sizeof device_photo_addresses_js},
    {"device/photo-details.js", device_photo_details_js, sizeof device_photo_details_js},
    {"device/photo-grid.js", device_photo_grid_js, sizeof device_photo_grid_js},
    {"device/place-map.js", device_place_map_js, sizeof device_place_map_js},
    {"device/returned.html", device_returned_html, sizeof device_returned_html},
    {"device/screens-camera.js", device_screens_camera_js, sizeof device_screens_camera_js},
    {"device/screens-gallery.js", device_screens_gallery_js, sizeof device_screens_gallery_js},
    {"device/screens-home.js", device_screens_home_js, sizeof device_screens_home_js},
    {"device/screens-photo.js", device_screens_photo_js, sizeof device_screens_photo_js},
    {"device/screens-settings.js", device_screens_settings_js, sizeof device_screens_settings_js},
    {"device/screens-start.js", device_screens_start_js, sizeof device_screens_start_js},
    {"device/shell.js", device_shell_js, sizeof device_shell_js},
    {"device/state.js", device_state_js, sizeof device_state_js},
    {"device/swipes.js", device_swipes_js, sizeof device_swipes_js},
    {"device/texts-shared.js", device_texts_shared_js, sizeof device_texts_shared_js},
    {"device/texts.js", device_texts_js, sizeof device_texts_js},
    {"device/upload-list.js", device_upload_list_js, sizeof device_upload_list_js},
    {"device/uploads.js", device_uploads_js, sizeof device_uploads_js},
    {"web/address.js", web_address_js, sizeof web_address_js},
    {"web/app.js", web_app_js, sizeof web_app_js},
    {"web/elements.js", web_elements_js, sizeof web_elements_js},
    {"web/full.js", web_full_js, sizeof web_full_js},
    {"web/list.css", web_list_css, sizeof web_list_css},
    {"web/live.js", web_live_js, sizeof web_live_js},
    {"web/map.css", web_map_css, sizeof web_map_css},
    {"web/map.html", web_map_html, sizeof web_map_html},
    {"web/map.js", web_map_js, sizeof web_map_js},
    {"web/near.js", web_near_js, sizeof web_near_js},
    {"web/panel.js", web_panel_js, sizeof web_panel_js},
    {"web/photos.js", web_photos_js, sizeof web_photos_js},
    {"web/pins.js", web_pins_js, sizeof web_pins_js},
    {"web/texts.js", web_texts_js, sizeof web_texts_js},
    {"web/times.js", web_times_js, sizeof web_times_js},
    {"web/view.js", web_view_js, sizeof web_view_js},
};

const unsigned char *geopix_asset(const char *name, size_t *size) {
    for (size_t index = 0; index < sizeof files / sizeof *files; index++) {
        if (strcmp(files[index].name, name) != 0) continue;
        *size = files[index].size;
        return files[index].bytes;
    }
    return NULL;
}
