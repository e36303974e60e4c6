//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "cicu.h"

#include <stdlib.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

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
