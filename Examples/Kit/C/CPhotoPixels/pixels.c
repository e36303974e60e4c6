//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "CPhotoPixels.h"

#include <stddef.h>
#include <string.h>

enum { CHANNELS = 3 };

void godwit_pixels_shrink(const uint8_t *source, int32_t width, int32_t height, uint8_t *target, int32_t target_width,
                          int32_t target_height) {
    for (int32_t y = 0; y < target_height; y++) {
        const int64_t top = (int64_t)y * height / target_height, bottom = (int64_t)(y + 1) * height / target_height;
        for (int32_t x = 0; x < target_width; x++) {
            const int64_t left = (int64_t)x * width / target_width, right = (int64_t)(x + 1) * width / target_width;
            uint64_t sums[CHANNELS] = {0};
            for (int64_t row = top; row < bottom; row++) {
                const uint8_t *pixel = source + (row * width + left) * CHANNELS;
                for (int64_t column = left; column < right; column++, pixel += CHANNELS) {
                    for (int channel = 0; channel < CHANNELS; channel++) sums[channel] += pixel[channel];
                }
            }
            const uint64_t count = (uint64_t)((bottom - top) * (right - left));
            for (int channel = 0; channel < CHANNELS; channel++) {
                *target++ = (uint8_t)((sums[channel] + count / 2) / count);
            }
        }
    }
}

void godwit_pixels_orient(const uint8_t *source, int32_t width, int32_t height, int32_t orientation, uint8_t *target) {
    const int swaps = orientation >= 5;
    const int64_t target_width = swaps ? height : width;
    for (int32_t y = 0; y < height; y++) {
        for (int32_t x = 0; x < width; x++, source += CHANNELS) {
            int64_t column, row;
            switch (orientation) {
            case 2: column = width - 1 - x, row = y; break;
            case 3: column = width - 1 - x, row = height - 1 - y; break;
            case 4: column = x, row = height - 1 - y; break;
            case 5: column = y, row = x; break;
            case 6: column = height - 1 - y, row = x; break;
            case 7: column = height - 1 - y, row = width - 1 - x; break;
            case 8: column = y, row = width - 1 - x; break;
            default: column = x, row = y; break;
            }
            memcpy(target + (row * target_width + column) * CHANNELS, source, CHANNELS);
        }
    }
}

void godwit_pixels_from_cmyk(const uint8_t *source, uint8_t *target, int64_t count) {
    for (int64_t pixel = 0; pixel < count; pixel++, source += CHANNELS + 1) {
        for (int channel = 0; channel < CHANNELS; channel++) {
            *target++ = (uint8_t)((source[channel] * source[CHANNELS] + 127) / 255);
        }
    }
}
