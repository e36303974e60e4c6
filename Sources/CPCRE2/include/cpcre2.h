//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CPCRE2_H
#define GODWIT_CPCRE2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// PCRE2's C names are macros that carry the width of a code unit; these functions give Swift names that stay.

/// The limits of a search for depth and memory. The limit of matcher calls is given with each search.
typedef struct {
    /// How deep backtracking may nest.
    uint32_t depth_limit;
    /// How much memory backtracking may take, in KiB.
    uint32_t heap_kibibytes;
} godwit_pcre2_limits;

typedef struct godwit_pcre2 godwit_pcre2;

/// Compiles a pattern over bytes; NULL when it is invalid or longer than allowed. It never changes afterwards, so any
/// number of threads may match with it.
godwit_pcre2 *_Nullable godwit_pcre2_compile(const uint8_t *_Nullable pattern, size_t count, size_t count_max,
                                             godwit_pcre2_limits limits);

/// How a search ended.
typedef enum godwit_pcre2_result {
    GODWIT_PCRE2_MATCH,
    GODWIT_PCRE2_NO_MATCH,
    /// The matcher was entered as often as it may.
    GODWIT_PCRE2_LIMIT
} godwit_pcre2_result;

/// Searches for the pattern anywhere in a text. A search that passes the limits of depth or memory is no match.
///
/// @param match_limit How often the matcher may be entered.
godwit_pcre2_result godwit_pcre2_search(const godwit_pcre2 *_Nonnull regex, const uint8_t *_Nullable text,
                                        size_t count, uint32_t match_limit);

void godwit_pcre2_free(godwit_pcre2 *_Nonnull regex);

#endif
