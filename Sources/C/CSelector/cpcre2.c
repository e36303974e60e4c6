//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if defined(GODWIT_SYSTEM_LIBRARIES)

#include "cpcre2.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

struct godwit_pcre2 {
    pcre2_code *code;
    godwit_pcre2_limits limits;
};

static const uint8_t empty[1] = {0};

static pcre2_code *compile(const uint8_t *pattern, size_t count, size_t count_max) {
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (!context) return NULL;
    pcre2_set_max_pattern_length(context, count_max);
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    int error = 0;
    PCRE2_SIZE offset = 0;
    pcre2_code *code = pcre2_compile(pattern ? pattern : empty, count, 0, &error, &offset, context);
    pcre2_compile_context_free(context);
    return code;
}

static pcre2_match_context *limited(godwit_pcre2_limits limits, uint32_t match_limit) {
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    if (!context) return NULL;
    pcre2_set_match_limit(context, match_limit);
    pcre2_set_depth_limit(context, limits.depth_limit);
    pcre2_set_heap_limit(context, limits.heap_kibibytes);
    return context;
}

godwit_pcre2 *godwit_pcre2_compile(const uint8_t *pattern, size_t count, size_t count_max,
                                   godwit_pcre2_limits limits) {
    godwit_pcre2 *regex = calloc(1, sizeof *regex);
    if (!regex) return NULL;
    regex->code = compile(pattern, count, count_max);
    regex->limits = limits;
    if (regex->code) return regex;
    godwit_pcre2_free(regex);
    return NULL;
}

godwit_pcre2_result godwit_pcre2_search(const godwit_pcre2 *regex, const uint8_t *text, size_t count,
                                        uint32_t match_limit) {
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    pcre2_match_context *context = limited(regex->limits, match_limit);
    int result = PCRE2_ERROR_NOMEMORY;
    if (data && context) result = pcre2_match(regex->code, text ? text : empty, count, 0, 0, data, context);
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    if (result == PCRE2_ERROR_MATCHLIMIT) return GODWIT_PCRE2_LIMIT;
    // Zero means that the pattern has more groups than this data has space for; it is a match.
    return result >= 0 ? GODWIT_PCRE2_MATCH : GODWIT_PCRE2_NO_MATCH;
}

void godwit_pcre2_free(godwit_pcre2 *regex) {
    pcre2_code_free(regex->code);
    free(regex);
}

#endif
