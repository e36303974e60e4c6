//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_TEXTWORDS_DICTIONARY_H
#define GODWIT_TEXTWORDS_DICTIONARY_H

#include <stdbool.h>
#include <stdint.h>

/// The words of scripts without spaces, by ICU's dictionary. One thread at a time may use one.
typedef struct godwit_dictionary godwit_dictionary;

/// The reason why there is no dictionary; NULL if there is one.
const char *godwit_dictionary_failure(void);

/// Adds the version of the dictionary to a hash.
uint64_t godwit_dictionary_version(uint64_t hash);

/// Opens the dictionary; NULL if there is none, or no memory.
godwit_dictionary *godwit_dictionary_open(void);

/// Begins to read a text in UTF-8, which must exist until its last word is read. Returns whether it succeeded.
bool godwit_dictionary_read(godwit_dictionary *dictionary, const char *text, int32_t bytes);

/// The end of the next word, in bytes of the text; negative after the last one.
int32_t godwit_dictionary_next(godwit_dictionary *dictionary);

void godwit_dictionary_close(godwit_dictionary *dictionary);

#endif
