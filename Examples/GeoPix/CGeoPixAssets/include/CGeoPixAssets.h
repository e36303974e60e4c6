//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GEOPIX_ASSETS_H
#define GEOPIX_ASSETS_H

#include <stddef.h>

/// The bytes of a file of GeoPix's pages, embedded when the program is built: `device/NAME` for the screens of a device,
/// `web/NAME` for the pages of the server. They are valid while the program runs. NULL for an unknown name.
const unsigned char *geopix_asset(const char *name, size_t *size);

#endif
