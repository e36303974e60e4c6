//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_NORMALIZATION_H
#define GODWIT_NORMALIZATION_H

#include <stdbool.h>
#include <stdint.h>

/// Unicode's canonical decompositions, from the table that `Scripts/normalization.py` writes.

/// The two parts of a decomposition. A decomposition to one character has no second part: 0.
typedef struct {
    int32_t first, second;
} godwit_decomposition;

/// Decomposes a character by one step. Returns whether it has a decomposition.
bool godwit_decompose(int32_t character, godwit_decomposition *_Nonnull parts);

/// The character that two compose to; negative if there is none.
int32_t godwit_compose(int32_t first, int32_t second);

/// The canonical combining class of a character: 0 for all but marks.
uint8_t godwit_combining_class(int32_t character);

/// The value of a decimal digit of any script; negative for another character.
int32_t godwit_digit_value(int32_t character);

/// The usual form of a full-width or half-width character, or the first character of it; the character itself if there is
/// none.
int32_t godwit_usual_width(int32_t character);

#endif
