//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CPHOTO_PIXELS_H
#define GODWIT_CPHOTO_PIXELS_H

#include <stdint.h>

// Loops over the pixels of a picture: 8 bits for each of red, green and blue, row after row, without padding.

/// Shrinks a picture: each new pixel is the mean of the pixels that it covers.
///
/// @param target Space for `target_width * target_height` pixels. Neither is larger than that of the source, and both
///     are at least 1.
void godwit_pixels_shrink(const uint8_t *source, int32_t width, int32_t height, uint8_t *target, int32_t target_width,
                          int32_t target_height);

/// Turns a picture upright.
///
/// @param orientation The orientation of EXIF, 1 to 8. With 5 to 8 the target has the width of the source as height.
/// @param target Space for as many pixels as the source has.
void godwit_pixels_orient(const uint8_t *source, int32_t width, int32_t height, int32_t orientation, uint8_t *target);

/// Converts pixels of inverted cyan, magenta, yellow and black, as Adobe's programs write JPEG, to red, green and blue.
void godwit_pixels_from_cmyk(const uint8_t *source, uint8_t *target, int64_t count);

#endif
