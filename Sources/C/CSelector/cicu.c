//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "cicu.h"

#include <stdlib.h>
#include <unicode/ucol.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

void *godwit_icu_open_root(void) {
    UErrorCode status = U_ZERO_ERROR;
    UCollator *collator = ucol_open("", &status);
    return U_FAILURE(status) ? NULL : collator;
}

int godwit_icu_compare(const void *collator, const char *left, int32_t left_count, const char *right,
                       int32_t right_count) {
    UErrorCode status = U_ZERO_ERROR;
    return ucol_strcollUTF8((const UCollator *)collator, left, left_count, right, right_count, &status);
}

void godwit_icu_collation_version(const void *collator, uint8_t version[4]) {
    ucol_getVersion((const UCollator *)collator, version);
}

int32_t godwit_icu_sort_key(const void *collator, const char *text, int32_t count, uint8_t *key, int32_t capacity) {
    // UTF-16 never has more units than UTF-8 has bytes.
    UChar inPlace[256];
    UChar *units = count <= 256 ? inPlace : malloc(sizeof(UChar) * (size_t)count);
    if (units == NULL) return 0;
    UErrorCode status = U_ZERO_ERROR;
    int32_t length = 0;
    u_strFromUTF8WithSub(units, count, &length, text, count, 0xFFFD, NULL, &status);
    int32_t needed = ucol_getSortKey((const UCollator *)collator, units, length, key, capacity);
    if (units != inPlace) free(units);
    return needed;
}

int godwit_icu_is_composed(const char *text, int32_t count) {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2 *composition = unorm2_getNFCInstance(&status);
    // UTF-16 never has more units than UTF-8 has bytes.
    UChar *units = malloc(sizeof(UChar) * (size_t)count + 1);
    if (units == NULL) return 0;
    int32_t length = 0;
    u_strFromUTF8(units, count, &length, text, count, &status);
    UBool composed = unorm2_isNormalized(composition, units, length, &status);
    free(units);
    return U_SUCCESS(status) && composed;
}
