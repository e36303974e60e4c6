//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_SNOWBALL_H
#define GODWIT_SNOWBALL_H

#include <stdint.h>

/// Snowball's stemmers (libstemmer), loaded when they are first needed.

struct sb_stemmer;

/// Loads the library. Returns NULL, or the reason why it cannot be loaded.
const char *godwit_snowball_load(void);

/// A number that differs between libraries. They have no version, so it is derived from the file.
uint64_t godwit_snowball_version(void);

/// Creates a stemmer of an algorithm, for texts in UTF-8; NULL if the library does not have it. One thread at a time
/// may use it.
struct sb_stemmer *godwit_snowball_open(const char *algorithm);

/// The stem of a word in lower case, valid until the next call; NULL if there is no memory.
const char *godwit_snowball_stem(struct sb_stemmer *stemmer, const char *word, int bytes, int *stem_bytes);

void godwit_snowball_close(struct sb_stemmer *stemmer);

#endif
