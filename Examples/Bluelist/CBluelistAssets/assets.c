//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "CBluelistAssets.h"

#include <string.h>

static const unsigned char api_js[] = {
#embed "../../Device/Page/api.js"
};
static const unsigned char app_js[] = {
#embed "../Page/app.js"
};
static const unsigned char device_css[] = {
#embed "../Page/device.css"
};
static const unsigned char elements_js[] = {
#embed "../../Device/Page/elements.js"
};
static const unsigned char frame_css[] = {
#embed "../../Device/Page/frame.css"
};
static const unsigned char icon_svg[] = {
#embed "../Page/icon.svg"
};
static const unsigned char index_html[] = {
#embed "../Page/index.html"
};
static const unsigned char parts_css[] = {
#embed "../../Device/Page/parts.css"
};
static const unsigned char pull_js[] = {
#embed "../Page/pull.js"
};
static const unsigned char screens_account_js[] = {
#embed "../Page/screens-account.js"
};
static const unsigned char screens_list_js[] = {
#embed "../Page/screens-list.js"
};
static const unsigned char screens_start_js[] = {
#embed "../../Device/Page/screens-start.js"
};
static const unsigned char shell_js[] = {
#embed "../../Device/Page/shell.js"
};
static const unsigned char state_js[] = {
#embed "../../Device/Page/state.js"
};
static const unsigned char texts_shared_js[] = {
#embed "../../Device/Page/texts-shared.js"
};
static const unsigned char texts_js[] = {
#embed "../Page/texts.js"
};

static const struct {
    const char *name;
    const unsigned char *start;
    size_t size;
} assets[] = {
    {"device/api.js", api_js, sizeof api_js},
    {"device/app.js", app_js, sizeof app_js},
    {"device/device.css", device_css, sizeof device_css},
    {"device/elements.js", elements_js, sizeof elements_js},
    {"device/frame.css", frame_css, sizeof frame_css},
    {"device/icon.svg", icon_svg, sizeof icon_svg},
    {"device/index.html", index_html, sizeof index_html},
    {"device/parts.css", parts_css, sizeof parts_css},
    {"device/pull.js", pull_js, sizeof pull_js},
    {"device/screens-account.js", screens_account_js, sizeof screens_account_js},
    {"device/screens-list.js", screens_list_js, sizeof screens_list_js},
    {"device/screens-start.js", screens_start_js, sizeof screens_start_js},
    {"device/shell.js", shell_js, sizeof shell_js},
    {"device/state.js", state_js, sizeof state_js},
    {"device/texts-shared.js", texts_shared_js, sizeof texts_shared_js},
    {"device/texts.js", texts_js, sizeof texts_js},
};

const unsigned char *bluelist_asset(const char *name, size_t *size) {
    for (size_t index = 0; index < sizeof assets / sizeof assets[0]; index++) {
        if (strcmp(assets[index].name, name) == 0) {
            *size = assets[index].size;
            return assets[index].start;
        }
    }
    return NULL;
}
