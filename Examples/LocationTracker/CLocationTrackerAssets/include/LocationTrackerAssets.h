//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_LOCATION_TRACKER_ASSETS_H
#define GODWIT_LOCATION_TRACKER_ASSETS_H

#include <stddef.h>

/// Pages and data of the Location Tracker, embedded when the program is built.
enum location_tracker_asset {
    LOCATION_TRACKER_PAGE,
    LOCATION_TRACKER_STYLE,
    LOCATION_TRACKER_PLACES,
    LOCATION_TRACKER_TRACK_DRIVE,
    LOCATION_TRACKER_TRACK_VISNJAN,
};

/// The bytes of an asset; they are valid while the program runs.
const unsigned char *location_tracker_asset(enum location_tracker_asset asset, size_t *size);

/// The bytes of a script of the page, by the name of its file; they are valid while the program runs. NULL for an
/// unknown name.
const unsigned char *location_tracker_script(const char *name, size_t *size);

#endif
