//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_PAGES_H
#define GODWIT_PAGES_H

#include <stddef.h>

/// The bytes of a page's file or of the base map, embedded when the program is built. They are valid while the program runs.
///
/// @param path `console/FILE`, `map/FILE` or `base-map/FILE`.
/// @return NULL for an unknown path.
const unsigned char *embedded_page_file(const char *path, size_t *size);

#endif
