//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_SNOWBALL_H
#define GODWIT_SNOWBALL_H

#include <stdint.h>

/// Snowball's stemmers (libstemmer), loaded when they are first needed.

struct sb_stemmer;

/// Loads the library. NULL, or why there is none.
const char *godwit_snowball_load(void);

/// Differs between libraries. They say no version of their own, so it is made of the file.
uint64_t godwit_snowball_version(void);

/// Makes a stemmer of an algorithm, of texts in UTF-8; NULL when the library does not have it. It belongs to one thread at
/// a time.
struct sb_stemmer *godwit_snowball_open(const char *algorithm);

/// The stem of a word in lower case, which lives until the next call; NULL when memory is short.
const char *godwit_snowball_stem(struct sb_stemmer *stemmer, const char *word, int bytes, int *stem_bytes);

void godwit_snowball_close(struct sb_stemmer *stemmer);

#endif
