//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CICU_H
#define GODWIT_CICU_H

#include <stdint.h>

/// ICU's C names are macros that carry ICU's version; these functions give Swift names that stay.

/// Opens the collator of CLDR's root; NULL when ICU has no data. It may be used by any number of threads at once.
void *_Nullable godwit_icu_open_root(void);

/// Compares two texts in UTF-8: less than, equal to or greater than zero.
int godwit_icu_compare(const void *_Nonnull collator, const char *_Nullable left, int32_t left_count,
                       const char *_Nullable right, int32_t right_count);

/// Writes the sort key of a text in UTF-8, a zero byte at its end: keys compare bytewise as the texts do. Returns how long
/// it is, also where that is more than `capacity` and nothing is kept; 0 when memory is short.
int32_t godwit_icu_sort_key(const void *_Nonnull collator, const char *_Nullable text, int32_t count,
                            uint8_t *_Nonnull key, int32_t capacity);

/// The version of a collator's order as four bytes: keys of another one may sort otherwise.
void godwit_icu_collation_version(const void *_Nonnull collator, uint8_t version[_Nonnull 4]);

/// Whether a text in UTF-8 is in Unicode's composed form (NFC). A text that is no UTF-8 is in none, nor is any when memory
/// is short.
int godwit_icu_is_composed(const char *_Nullable text, int32_t count);

#endif
