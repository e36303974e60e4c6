//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CONSOLE_ASSETS_H
#define GODWIT_CONSOLE_ASSETS_H

#include <stddef.h>

/// Returns the path of the console's file with an index, and sets its bytes and their number; NULL behind the last one.
const char *console_asset(size_t index, const unsigned char **bytes, size_t *size);

#endif
