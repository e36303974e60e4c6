//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_TEXTWORDS_UTF8_H
#define GODWIT_TEXTWORDS_UTF8_H

#include <stdbool.h>
#include <stdint.h>

static inline bool is_ascii(const char *text, int bytes) {
    for (int place = 0; place < bytes; place++)
        if ((unsigned char)text[place] >= 0x80) return false;
    return true;
}

/// The letter at an offset; moves the offset past it. A byte that begins no letter is U+FFFD.
static inline int32_t next_letter(const char *text, int *place, int bytes) {
    static const int32_t lowest[] = {0, 0x80, 0x800, 0x10000};
    uint8_t first = (uint8_t)text[(*place)++];
    if (first < 0x80) return first;
    int trailing = first < 0xC2 || first > 0xF4 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    if (trailing == 0 || bytes - *place < trailing) return 0xFFFD;
    int32_t letter = first & (0x3F >> trailing);
    for (int number = 0; number < trailing; number++) {
        uint8_t next = (uint8_t)text[*place + number];
        if (next >> 6 != 2) return 0xFFFD;
        letter = letter << 6 | (next & 0x3F);
    }
    if (letter < lowest[trailing] || letter > 0x10FFFF || letter >> 11 == 0x1B) return 0xFFFD;
    *place += trailing;
    return letter;
}

/// Writes a letter at an offset; moves the offset past it.
static inline void append_letter(char *text, int *place, int32_t letter) {
    int trailing = letter < 0x80 ? 0 : letter < 0x800 ? 1 : letter < 0x10000 ? 2 : 3;
    static const uint8_t leads[] = {0, 0xC0, 0xE0, 0xF0};
    text[(*place)++] = (char)(leads[trailing] | letter >> 6 * trailing);
    while (trailing-- > 0) text[(*place)++] = (char)(0x80 | (letter >> 6 * trailing & 0x3F));
}

#endif
