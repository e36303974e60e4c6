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
