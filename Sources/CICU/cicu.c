//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "cicu.h"

#include <unicode/ucol.h>

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
