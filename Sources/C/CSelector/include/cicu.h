//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CICU_H
#define GODWIT_CICU_H

#include <stdint.h>

/// ICU's C names are macros that contain ICU's version; these functions give Swift constant names.

/// Opens the collator of CLDR's root; NULL if ICU has no data. Any number of threads may use it at once.
void *_Nullable godwit_icu_open_root(void);

/// Compares two texts in UTF-8: less than, equal to or greater than zero.
int godwit_icu_compare(const void *_Nonnull collator, const char *_Nullable left, int32_t left_count,
                       const char *_Nullable right, int32_t right_count);

/// Writes the sort key of a text in UTF-8, with a zero byte at its end: keys compare bytewise as the texts do. Returns
/// the key's length, also if it is more than `capacity` and nothing is written; 0 if there is no memory.
int32_t godwit_icu_sort_key(const void *_Nonnull collator, const char *_Nullable text, int32_t count,
                            uint8_t *_Nonnull key, int32_t capacity);

/// The version of a collator's order as four bytes: keys of another version may sort differently.
void godwit_icu_collation_version(const void *_Nonnull collator, uint8_t version[_Nonnull 4]);

/// Whether a text in UTF-8 is in Unicode's composed form (NFC). Returns 0 also for a text that is not UTF-8, and if
/// there is no memory.
int godwit_icu_is_composed(const char *_Nullable text, int32_t count);

#endif
