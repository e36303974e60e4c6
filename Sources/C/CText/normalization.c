//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "normalization.h"

#include <stddef.h>

// Unicode's data: Data/README.md.
static const _Alignas(4) uint8_t bytes[] = {
#embed "Data/normalization.bin"
};

/// Rows of `width` numbers each, in ascending order of the first.
typedef struct {
    const uint32_t *numbers;
    size_t count, width;
} rows;

typedef struct {
    rows decompositions, pairs, classes, digits, wide;
} tables;

static rows rows_after(rows before, size_t count, size_t width) {
    return (rows){before.numbers + before.count * before.width, count, width};
}

static tables all_tables(void) {
    const uint32_t *header = (const uint32_t *)bytes;
    tables found;
    found.decompositions = rows_after((rows){header, 1, 6}, header[1], 3);
    found.pairs = rows_after(found.decompositions, header[2], 1);
    found.classes = rows_after(found.pairs, header[3], 3);
    found.digits = rows_after(found.classes, header[4], 1);
    found.wide = rows_after(found.digits, header[5], 2);
    return found;
}

/// The last row whose first number is not above a character; NULL if there is none.
static const uint32_t *row_at(rows rows, int32_t character) {
    size_t low = 0, high = rows.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows.numbers[middle * rows.width] <= (uint32_t)character) low = middle + 1;
        else high = middle;
    }
    return low > 0 ? rows.numbers + (low - 1) * rows.width : NULL;
}

// MARK: Hangul

// The syllables are numbered by their letters (The Unicode Standard, 3.12).
enum { syllables = 0xAC00, leads = 0x1100, vowels = 0x1161, tails = 0x11A7 };
enum { lead_count = 19, vowel_count = 21, tail_count = 28, syllable_count = lead_count * vowel_count * tail_count };

static bool is_within(int32_t character, int32_t first, int32_t count) {
    return character >= first && character < first + count;
}

static godwit_decomposition syllable_parts(int32_t number) {
    int32_t tail = number % tail_count, pair = number / tail_count;
    if (tail > 0) return (godwit_decomposition){syllables + number - tail, tails + tail};
    return (godwit_decomposition){leads + pair / vowel_count, vowels + pair % vowel_count};
}

static int32_t syllable(int32_t first, int32_t second) {
    if (is_within(first, leads, lead_count) && is_within(second, vowels, vowel_count))
        return syllables + ((first - leads) * vowel_count + second - vowels) * tail_count;
    bool has_no_tail = is_within(first, syllables, syllable_count) && (first - syllables) % tail_count == 0;
    return has_no_tail && is_within(second, tails + 1, tail_count - 1) ? first + second - tails : -1;
}

// MARK: The functions

bool godwit_decompose(int32_t character, godwit_decomposition *parts) {
    if (is_within(character, syllables, syllable_count)) {
        *parts = syllable_parts(character - syllables);
        return true;
    }
    const uint32_t *row = character < 0xC0 ? NULL : row_at(all_tables().decompositions, character);
    if (row == NULL || row[0] != (uint32_t)character) return false;
    *parts = (godwit_decomposition){(int32_t)row[1], (int32_t)row[2]};
    return true;
}

int32_t godwit_compose(int32_t first, int32_t second) {
    int32_t composed = syllable(first, second);
    if (composed >= 0) return composed;
    tables tables = all_tables();
    size_t low = 0, high = tables.pairs.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const uint32_t *row = tables.decompositions.numbers + tables.pairs.numbers[middle] * tables.decompositions.width;
        if (row[1] == (uint32_t)first && row[2] == (uint32_t)second) return (int32_t)row[0];
        if (row[1] < (uint32_t)first || (row[1] == (uint32_t)first && row[2] < (uint32_t)second)) low = middle + 1;
        else high = middle;
    }
    return -1;
}

uint8_t godwit_combining_class(int32_t character) {
    const uint32_t *row = character < 0x300 ? NULL : row_at(all_tables().classes, character);
    return row != NULL && (uint32_t)character <= row[1] ? (uint8_t)row[2] : 0;
}

int32_t godwit_digit_value(int32_t character) {
    const uint32_t *row = row_at(all_tables().digits, character);
    return row != NULL && (uint32_t)character - row[0] < 10 ? character - (int32_t)row[0] : -1;
}

int32_t godwit_usual_width(int32_t character) {
    const uint32_t *row = row_at(all_tables().wide, character);
    return row != NULL && row[0] == (uint32_t)character ? (int32_t)row[1] : character;
}
