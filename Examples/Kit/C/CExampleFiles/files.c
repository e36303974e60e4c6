//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "CExampleFiles.h"

#include <string.h>

// MARK: kit

static const unsigned char kit_api_js[] = {
#embed "../../../Kit/Page/api.js"
};
static const unsigned char kit_camera_js[] = {
#embed "../../../Kit/Page/camera.js"
};
static const unsigned char kit_elements_js[] = {
#embed "../../../Kit/Page/elements.js"
};
static const unsigned char kit_frame_css[] = {
#embed "../../../Kit/Page/frame.css"
};
static const unsigned char kit_parts_css[] = {
#embed "../../../Kit/Page/parts.css"
};
static const unsigned char kit_screens_start_js[] = {
#embed "../../../Kit/Page/screens-start.js"
};
static const unsigned char kit_shell_js[] = {
#embed "../../../Kit/Page/shell.js"
};
static const unsigned char kit_state_js[] = {
#embed "../../../Kit/Page/state.js"
};
static const unsigned char kit_texts_shared_js[] = {
#embed "../../../Kit/Page/texts-shared.js"
};

// MARK: location-tracker

static const unsigned char location_tracker_web_boxes_js[] = {
#embed "../../../LocationTracker/Page/web/boxes.js"
};
static const unsigned char location_tracker_web_common_js[] = {
#embed "../../../LocationTracker/Page/web/common.js"
};
static const unsigned char location_tracker_web_drawing_js[] = {
#embed "../../../LocationTracker/Page/web/drawing.js"
};
static const unsigned char location_tracker_web_grid_js[] = {
#embed "../../../LocationTracker/Page/web/grid.js"
};
static const unsigned char location_tracker_web_groups_js[] = {
#embed "../../../LocationTracker/Page/web/groups.js"
};
static const unsigned char location_tracker_web_index_html[] = {
#embed "../../../LocationTracker/Page/web/index.html"
};
static const unsigned char location_tracker_web_labels_js[] = {
#embed "../../../LocationTracker/Page/web/labels.js"
};
static const unsigned char location_tracker_web_locations_js[] = {
#embed "../../../LocationTracker/Page/web/locations.js"
};
static const unsigned char location_tracker_web_locator_js[] = {
#embed "../../../LocationTracker/Page/web/locator.js"
};
static const unsigned char location_tracker_web_map_js[] = {
#embed "../../../LocationTracker/Page/web/map.js"
};
static const unsigned char location_tracker_web_panel_js[] = {
#embed "../../../LocationTracker/Page/web/panel.js"
};
static const unsigned char location_tracker_web_pins_js[] = {
#embed "../../../LocationTracker/Page/web/pins.js"
};
static const unsigned char location_tracker_web_start_js[] = {
#embed "../../../LocationTracker/Page/web/start.js"
};
static const unsigned char location_tracker_web_tracker_css[] = {
#embed "../../../LocationTracker/Page/web/tracker.css"
};
static const unsigned char location_tracker_web_tracker_js[] = {
#embed "../../../LocationTracker/Page/web/tracker.js"
};
static const unsigned char location_tracker_web_view_js[] = {
#embed "../../../LocationTracker/Page/web/view.js"
};
static const unsigned char location_tracker_data_places_json[] = {
#embed "../../../LocationTracker/Data/places.json"
};
static const unsigned char location_tracker_data_around_visnjan_with_car_gpx[] = {
#embed "../../../LocationTracker/Data/tracks/around-visnjan-with-car.gpx"
};
static const unsigned char location_tracker_data_drive_past_the_places_gpx[] = {
#embed "../../../LocationTracker/Data/tracks/drive-past-the-places.gpx"
};

// MARK: geopix

static const unsigned char geopix_device_device_css[] = {
#embed "../../../GeoPix/Page/device/device.css"
};
static const unsigned char geopix_device_device_js[] = {
#embed "../../../GeoPix/Page/device/device.js"
};
static const unsigned char geopix_device_galleries_js[] = {
#embed "../../../GeoPix/Page/device/galleries.js"
};
static const unsigned char geopix_device_index_html[] = {
#embed "../../../GeoPix/Page/device/index.html"
};
static const unsigned char geopix_device_location_js[] = {
#embed "../../../GeoPix/Page/device/location.js"
};
static const unsigned char geopix_device_photo_addresses_js[] = {
#embed "../../../GeoPix/Page/device/photo-addresses.js"
};
static const unsigned char geopix_device_photo_details_js[] = {
#embed "../../../GeoPix/Page/device/photo-details.js"
};
static const unsigned char geopix_device_photo_grid_js[] = {
#embed "../../../GeoPix/Page/device/photo-grid.js"
};
static const unsigned char geopix_device_place_map_js[] = {
#embed "../../../GeoPix/Page/device/place-map.js"
};
static const unsigned char geopix_device_returned_html[] = {
#embed "../../../GeoPix/Page/device/returned.html"
};
static const unsigned char geopix_device_screens_camera_js[] = {
#embed "../../../GeoPix/Page/device/screens-camera.js"
};
static const unsigned char geopix_device_screens_gallery_js[] = {
#embed "../../../GeoPix/Page/device/screens-gallery.js"
};
static const unsigned char geopix_device_screens_home_js[] = {
#embed "../../../GeoPix/Page/device/screens-home.js"
};
static const unsigned char geopix_device_screens_photo_js[] = {
#embed "../../../GeoPix/Page/device/screens-photo.js"
};
static const unsigned char geopix_device_screens_settings_js[] = {
#embed "../../../GeoPix/Page/device/screens-settings.js"
};
static const unsigned char geopix_device_swipes_js[] = {
#embed "../../../GeoPix/Page/device/swipes.js"
};
static const unsigned char geopix_device_texts_js[] = {
#embed "../../../GeoPix/Page/device/texts.js"
};
static const unsigned char geopix_device_upload_list_js[] = {
#embed "../../../GeoPix/Page/device/upload-list.js"
};
static const unsigned char geopix_device_uploads_js[] = {
#embed "../../../GeoPix/Page/device/uploads.js"
};
static const unsigned char geopix_shared_parallax_js[] = {
#embed "../../../GeoPix/Page/shared/parallax.js"
};
static const unsigned char geopix_web_address_js[] = {
#embed "../../../GeoPix/Page/web/address.js"
};
static const unsigned char geopix_web_app_js[] = {
#embed "../../../GeoPix/Page/web/app.js"
};
static const unsigned char geopix_web_elements_js[] = {
#embed "../../../GeoPix/Page/web/elements.js"
};
static const unsigned char geopix_web_full_js[] = {
#embed "../../../GeoPix/Page/web/full.js"
};
static const unsigned char geopix_web_list_css[] = {
#embed "../../../GeoPix/Page/web/list.css"
};
static const unsigned char geopix_web_live_js[] = {
#embed "../../../GeoPix/Page/web/live.js"
};
static const unsigned char geopix_web_map_css[] = {
#embed "../../../GeoPix/Page/web/map.css"
};
static const unsigned char geopix_web_map_html[] = {
#embed "../../../GeoPix/Page/web/map.html"
};
static const unsigned char geopix_web_map_js[] = {
#embed "../../../GeoPix/Page/web/map.js"
};
static const unsigned char geopix_web_near_js[] = {
#embed "../../../GeoPix/Page/web/near.js"
};
static const unsigned char geopix_web_panel_js[] = {
#embed "../../../GeoPix/Page/web/panel.js"
};
static const unsigned char geopix_web_photos_js[] = {
#embed "../../../GeoPix/Page/web/photos.js"
};
static const unsigned char geopix_web_pins_js[] = {
#embed "../../../GeoPix/Page/web/pins.js"
};
static const unsigned char geopix_web_texts_js[] = {
#embed "../../../GeoPix/Page/web/texts.js"
};
static const unsigned char geopix_web_times_js[] = {
#embed "../../../GeoPix/Page/web/times.js"
};
static const unsigned char geopix_web_view_js[] = {
#embed "../../../GeoPix/Page/web/view.js"
};

// MARK: bluepic

static const unsigned char bluepic_device_app_js[] = {
#embed "../../../BluePic/Page/device/app.js"
};
static const unsigned char bluepic_device_device_css[] = {
#embed "../../../BluePic/Page/device/device.css"
};
static const unsigned char bluepic_device_index_html[] = {
#embed "../../../BluePic/Page/device/index.html"
};
static const unsigned char bluepic_device_photo_card_js[] = {
#embed "../../../BluePic/Page/device/photo-card.js"
};
static const unsigned char bluepic_device_screens_feed_js[] = {
#embed "../../../BluePic/Page/device/screens-feed.js"
};
static const unsigned char bluepic_device_screens_photo_js[] = {
#embed "../../../BluePic/Page/device/screens-photo.js"
};
static const unsigned char bluepic_device_screens_post_js[] = {
#embed "../../../BluePic/Page/device/screens-post.js"
};
static const unsigned char bluepic_device_screens_profile_js[] = {
#embed "../../../BluePic/Page/device/screens-profile.js"
};
static const unsigned char bluepic_device_tabs_js[] = {
#embed "../../../BluePic/Page/device/tabs.js"
};
static const unsigned char bluepic_device_texts_js[] = {
#embed "../../../BluePic/Page/device/texts.js"
};
static const unsigned char bluepic_shared_icon_svg[] = {
#embed "../../../BluePic/Page/shared/icon.svg"
};
static const unsigned char bluepic_web_bluepic_css[] = {
#embed "../../../BluePic/Page/web/bluepic.css"
};
static const unsigned char bluepic_web_bluepic_js[] = {
#embed "../../../BluePic/Page/web/bluepic.js"
};
static const unsigned char bluepic_web_photo1_jpg[] = {
#embed "../../../GeoPix/Photos/alps-at-dawn.jpg"
};
static const unsigned char bluepic_web_photo2_jpg[] = {
#embed "../../../GeoPix/Photos/fjord-in-fog.jpg"
};
static const unsigned char bluepic_web_photo3_jpg[] = {
#embed "../../../GeoPix/Photos/volcano-island.jpg"
};

// MARK: bluelist

static const unsigned char bluelist_device_app_js[] = {
#embed "../../../Bluelist/Page/device/app.js"
};
static const unsigned char bluelist_device_device_css[] = {
#embed "../../../Bluelist/Page/device/device.css"
};
static const unsigned char bluelist_device_icon_svg[] = {
#embed "../../../Bluelist/Page/device/icon.svg"
};
static const unsigned char bluelist_device_index_html[] = {
#embed "../../../Bluelist/Page/device/index.html"
};
static const unsigned char bluelist_device_pull_js[] = {
#embed "../../../Bluelist/Page/device/pull.js"
};
static const unsigned char bluelist_device_screens_account_js[] = {
#embed "../../../Bluelist/Page/device/screens-account.js"
};
static const unsigned char bluelist_device_screens_list_js[] = {
#embed "../../../Bluelist/Page/device/screens-list.js"
};
static const unsigned char bluelist_device_texts_js[] = {
#embed "../../../Bluelist/Page/device/texts.js"
};

// MARK: conversation

static const unsigned char conversation_device_app_js[] = {
#embed "../../../Conversation/Page/device/app.js"
};
static const unsigned char conversation_device_device_css[] = {
#embed "../../../Conversation/Page/device/device.css"
};
static const unsigned char conversation_device_index_html[] = {
#embed "../../../Conversation/Page/device/index.html"
};
static const unsigned char conversation_device_listener_js[] = {
#embed "../../../Conversation/Page/device/listener.js"
};
static const unsigned char conversation_device_screens_questions_js[] = {
#embed "../../../Conversation/Page/device/screens-questions.js"
};
static const unsigned char conversation_device_screens_settings_js[] = {
#embed "../../../Conversation/Page/device/screens-settings.js"
};
static const unsigned char conversation_device_texts_js[] = {
#embed "../../../Conversation/Page/device/texts.js"
};
static const unsigned char conversation_shared_icon_svg[] = {
#embed "../../../Conversation/Page/shared/icon.svg"
};
static const unsigned char conversation_shared_microphone_css[] = {
#embed "../../../Conversation/Page/shared/microphone.css"
};
static const unsigned char conversation_shared_microphone_js[] = {
#embed "../../../Conversation/Page/shared/microphone.js"
};
static const unsigned char conversation_shared_recorder_worklet_js[] = {
#embed "../../../Conversation/Page/shared/recorder-worklet.js"
};
static const unsigned char conversation_shared_speaker_js[] = {
#embed "../../../Conversation/Page/shared/speaker.js"
};
static const unsigned char conversation_web_app_js[] = {
#embed "../../../Conversation/Page/web/app.js"
};
static const unsigned char conversation_web_conversation_css[] = {
#embed "../../../Conversation/Page/web/conversation.css"
};
static const unsigned char conversation_web_listener_js[] = {
#embed "../../../Conversation/Page/web/listener.js"
};
static const unsigned char conversation_web_texts_js[] = {
#embed "../../../Conversation/Page/web/texts.js"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}

static const struct {
    const char *name;
    const unsigned char *bytes;
    size_t size;
} files[] = {
    FILE("kit/api.js", kit_api_js),
    FILE("kit/camera.js", kit_camera_js),
    FILE("kit/elements.js", kit_elements_js),
    FILE("kit/frame.css", kit_frame_css),
    FILE("kit/parts.css", kit_parts_css),
    FILE("kit/screens-start.js", kit_screens_start_js),
    FILE("kit/shell.js", kit_shell_js),
    FILE("kit/state.js", kit_state_js),
    FILE("kit/texts-shared.js", kit_texts_shared_js),
    FILE("location-tracker/web/boxes.js", location_tracker_web_boxes_js),
    FILE("location-tracker/web/common.js", location_tracker_web_common_js),
    FILE("location-tracker/web/drawing.js", location_tracker_web_drawing_js),
    FILE("location-tracker/web/grid.js", location_tracker_web_grid_js),
    FILE("location-tracker/web/groups.js", location_tracker_web_groups_js),
    FILE("location-tracker/web/index.html", location_tracker_web_index_html),
    FILE("location-tracker/web/labels.js", location_tracker_web_labels_js),
    FILE("location-tracker/web/locations.js", location_tracker_web_locations_js),
    FILE("location-tracker/web/locator.js", location_tracker_web_locator_js),
    FILE("location-tracker/web/map.js", location_tracker_web_map_js),
    FILE("location-tracker/web/panel.js", location_tracker_web_panel_js),
    FILE("location-tracker/web/pins.js", location_tracker_web_pins_js),
    FILE("location-tracker/web/start.js", location_tracker_web_start_js),
    FILE("location-tracker/web/tracker.css", location_tracker_web_tracker_css),
    FILE("location-tracker/web/tracker.js", location_tracker_web_tracker_js),
    FILE("location-tracker/web/view.js", location_tracker_web_view_js),
    FILE("location-tracker/data/places.json", location_tracker_data_places_json),
    FILE("location-tracker/data/around-visnjan-with-car.gpx", location_tracker_data_around_visnjan_with_car_gpx),
    FILE("location-tracker/data/drive-past-the-places.gpx", location_tracker_data_drive_past_the_places_gpx),
    FILE("geopix/device/device.css", geopix_device_device_css),
    FILE("geopix/device/device.js", geopix_device_device_js),
    FILE("geopix/device/galleries.js", geopix_device_galleries_js),
    FILE("geopix/device/index.html", geopix_device_index_html),
    FILE("geopix/device/location.js", geopix_device_location_js),
    FILE("geopix/device/photo-addresses.js", geopix_device_photo_addresses_js),
    FILE("geopix/device/photo-details.js", geopix_device_photo_details_js),
    FILE("geopix/device/photo-grid.js", geopix_device_photo_grid_js),
    FILE("geopix/device/place-map.js", geopix_device_place_map_js),
    FILE("geopix/device/returned.html", geopix_device_returned_html),
    FILE("geopix/device/screens-camera.js", geopix_device_screens_camera_js),
    FILE("geopix/device/screens-gallery.js", geopix_device_screens_gallery_js),
    FILE("geopix/device/screens-home.js", geopix_device_screens_home_js),
    FILE("geopix/device/screens-photo.js", geopix_device_screens_photo_js),
    FILE("geopix/device/screens-settings.js", geopix_device_screens_settings_js),
    FILE("geopix/device/swipes.js", geopix_device_swipes_js),
    FILE("geopix/device/texts.js", geopix_device_texts_js),
    FILE("geopix/device/upload-list.js", geopix_device_upload_list_js),
    FILE("geopix/device/uploads.js", geopix_device_uploads_js),
    FILE("geopix/shared/parallax.js", geopix_shared_parallax_js),
    FILE("geopix/web/address.js", geopix_web_address_js),
    FILE("geopix/web/app.js", geopix_web_app_js),
    FILE("geopix/web/elements.js", geopix_web_elements_js),
    FILE("geopix/web/full.js", geopix_web_full_js),
    FILE("geopix/web/list.css", geopix_web_list_css),
    FILE("geopix/web/live.js", geopix_web_live_js),
    FILE("geopix/web/map.css", geopix_web_map_css),
    FILE("geopix/web/map.html", geopix_web_map_html),
    FILE("geopix/web/map.js", geopix_web_map_js),
    FILE("geopix/web/near.js", geopix_web_near_js),
    FILE("geopix/web/panel.js", geopix_web_panel_js),
    FILE("geopix/web/photos.js", geopix_web_photos_js),
    FILE("geopix/web/pins.js", geopix_web_pins_js),
    FILE("geopix/web/texts.js", geopix_web_texts_js),
    FILE("geopix/web/times.js", geopix_web_times_js),
    FILE("geopix/web/view.js", geopix_web_view_js),
    FILE("bluepic/device/app.js", bluepic_device_app_js),
    FILE("bluepic/device/device.css", bluepic_device_device_css),
    FILE("bluepic/device/index.html", bluepic_device_index_html),
    FILE("bluepic/device/photo-card.js", bluepic_device_photo_card_js),
    FILE("bluepic/device/screens-feed.js", bluepic_device_screens_feed_js),
    FILE("bluepic/device/screens-photo.js", bluepic_device_screens_photo_js),
    FILE("bluepic/device/screens-post.js", bluepic_device_screens_post_js),
    FILE("bluepic/device/screens-profile.js", bluepic_device_screens_profile_js),
    FILE("bluepic/device/tabs.js", bluepic_device_tabs_js),
    FILE("bluepic/device/texts.js", bluepic_device_texts_js),
    FILE("bluepic/shared/icon.svg", bluepic_shared_icon_svg),
    FILE("bluepic/web/bluepic.css", bluepic_web_bluepic_css),
    FILE("bluepic/web/bluepic.js", bluepic_web_bluepic_js),
    FILE("bluepic/web/photo1.jpg", bluepic_web_photo1_jpg),
    FILE("bluepic/web/photo2.jpg", bluepic_web_photo2_jpg),
    FILE("bluepic/web/photo3.jpg", bluepic_web_photo3_jpg),
    FILE("bluelist/device/app.js", bluelist_device_app_js),
    FILE("bluelist/device/device.css", bluelist_device_device_css),
    FILE("bluelist/device/icon.svg", bluelist_device_icon_svg),
    FILE("bluelist/device/index.html", bluelist_device_index_html),
    FILE("bluelist/device/pull.js", bluelist_device_pull_js),
    FILE("bluelist/device/screens-account.js", bluelist_device_screens_account_js),
    FILE("bluelist/device/screens-list.js", bluelist_device_screens_list_js),
    FILE("bluelist/device/texts.js", bluelist_device_texts_js),
    FILE("conversation/device/app.js", conversation_device_app_js),
    FILE("conversation/device/device.css", conversation_device_device_css),
    FILE("conversation/device/index.html", conversation_device_index_html),
    FILE("conversation/device/listener.js", conversation_device_listener_js),
    FILE("conversation/device/screens-questions.js", conversation_device_screens_questions_js),
    FILE("conversation/device/screens-settings.js", conversation_device_screens_settings_js),
    FILE("conversation/device/texts.js", conversation_device_texts_js),
    FILE("conversation/shared/icon.svg", conversation_shared_icon_svg),
    FILE("conversation/shared/microphone.css", conversation_shared_microphone_css),
    FILE("conversation/shared/microphone.js", conversation_shared_microphone_js),
    FILE("conversation/shared/recorder-worklet.js", conversation_shared_recorder_worklet_js),
    FILE("conversation/shared/speaker.js", conversation_shared_speaker_js),
    FILE("conversation/web/app.js", conversation_web_app_js),
    FILE("conversation/web/conversation.css", conversation_web_conversation_css),
    FILE("conversation/web/listener.js", conversation_web_listener_js),
    FILE("conversation/web/texts.js", conversation_web_texts_js),
};

const unsigned char *example_file(const char *name, size_t *size) {
    for (size_t index = 0; index < sizeof files / sizeof *files; index++) {
        if (strcmp(files[index].name, name) != 0) continue;
        *size = files[index].size;
        return files[index].bytes;
    }
    return NULL;
}
