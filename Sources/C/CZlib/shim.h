//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#pragma once

#include <zlib.h>

// zlib's initializers are macros, which Swift cannot call.

/// Begins to compress without a container format.
static inline int czlib_deflate_raw(z_streamp stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}

/// Begins to decompress gzip's and zlib's formats.
static inline int czlib_inflate_any(z_streamp stream) {
    return inflateInit2(stream, 15 + 32);
}
