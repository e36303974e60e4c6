//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "dictionary.h"

#include <stddef.h>

#if defined(GODWIT_SYSTEM_LIBRARIES)

#include "hash.h"

#include <stdlib.h>
#include <unicode/ubrk.h>
#include <unicode/utext.h>
#include <unicode/uversion.h>

struct godwit_dictionary {
    UBreakIterator *breaks;
    UText text;
};

const char *godwit_dictionary_failure(void) { return NULL; }

uint64_t godwit_dictionary_version(uint64_t hash) {
    UVersionInfo icu;
    u_getVersion(icu);
    return godwit_hash(hash, icu, sizeof icu);
}

godwit_dictionary *godwit_dictionary_open(void) {
    godwit_dictionary *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    UErrorCode status = U_ZERO_ERROR;
    made->text = (UText)UTEXT_INITIALIZER;
    made->breaks = ubrk_open(UBRK_WORD, "", NULL, 0, &status);
    if (U_SUCCESS(status)) return made;
    godwit_dictionary_close(made);
    return NULL;
}

bool godwit_dictionary_read(godwit_dictionary *dictionary, const char *text, int32_t bytes) {
    UErrorCode status = U_ZERO_ERROR;
    utext_openUTF8(&dictionary->text, text, bytes, &status);
    if (U_SUCCESS(status)) ubrk_setUText(dictionary->breaks, &dictionary->text, &status);
    return U_SUCCESS(status);
}

int32_t godwit_dictionary_next(godwit_dictionary *dictionary) {
    int32_t end = ubrk_next(dictionary->breaks);
    return end == UBRK_DONE ? -1 : end;
}

void godwit_dictionary_close(godwit_dictionary *dictionary) {
    if (dictionary->breaks != NULL) ubrk_close(dictionary->breaks);
    utext_close(&dictionary->text);
    free(dictionary);
}

#else

const char *godwit_dictionary_failure(void) {
    return "Its words are in ICU's dictionary, and this program does not link ICU.";
}

uint64_t godwit_dictionary_version(uint64_t hash) { return hash; }

godwit_dictionary *godwit_dictionary_open(void) { return NULL; }

bool godwit_dictionary_read(godwit_dictionary *dictionary, const char *text, int32_t bytes) {
    (void)dictionary, (void)text, (void)bytes;
    return false;
}

int32_t godwit_dictionary_next(godwit_dictionary *dictionary) {
    (void)dictionary;
    return -1;
}

void godwit_dictionary_close(godwit_dictionary *dictionary) { (void)dictionary; }

#endif
