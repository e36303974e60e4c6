//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef BLUELIST_ASSETS_H
#define BLUELIST_ASSETS_H

#include <stddef.h>

/// Finds a file of the page of Bluelist's devices by its name, `device/NAME`. It is embedded when the program is built.
/// Writes its size, and returns NULL for an unknown name.
const unsigned char *bluelist_asset(const char *name, size_t *size);

#endif
