//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CPCRE2_H
#define GODWIT_CPCRE2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// PCRE2's C names are macros that contain the width of a code unit; these functions give Swift constant names.

/// The limits of a search for depth and memory. The limit of matcher calls is passed to each search.
typedef struct {
    /// The maximum depth of nested backtracking.
    uint32_t depth_limit;
    /// The maximum memory of backtracking, in KiB.
    uint32_t heap_kibibytes;
} godwit_pcre2_limits;

typedef struct godwit_pcre2 godwit_pcre2;

/// Compiles a pattern over bytes; NULL if it is invalid or longer than allowed. It is immutable, so any number of
/// threads may match with it.
godwit_pcre2 *_Nullable godwit_pcre2_compile(const uint8_t *_Nullable pattern, size_t count, size_t count_max,
                                             godwit_pcre2_limits limits);

/// The result of a search.
typedef enum godwit_pcre2_result {
    GODWIT_PCRE2_MATCH,
    GODWIT_PCRE2_NO_MATCH,
    /// The limit of matcher calls was reached.
    GODWIT_PCRE2_LIMIT
} godwit_pcre2_result;

/// Searches for the pattern anywhere in a text. A search that exceeds the limits of depth or memory is no match.
///
/// @param match_limit The maximum number of matcher calls.
godwit_pcre2_result godwit_pcre2_search(const godwit_pcre2 *_Nonnull regex, const uint8_t *_Nullable text,
                                        size_t count, uint32_t match_limit);

void godwit_pcre2_free(godwit_pcre2 *_Nonnull regex);

#endif
