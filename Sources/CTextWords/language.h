//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_LANGUAGE_H
#define GODWIT_LANGUAGE_H

#include "letters.h"

#include <stdbool.h>

/// Where words of a language begin and end within a run of letters, marks and digits.
typedef enum {
    /// The run is a word.
    godwit_language_runs,
    /// ICU's dictionary says so.
    godwit_language_dictionary,
    /// Two characters of Chinese, Japanese and Korean that stand beside one another are a word each.
    godwit_language_pairs,
} godwit_language_division;

/// How the words of a language are made.
typedef struct {
    const char *name;
    godwit_language_division division;
    /// The algorithm of Snowball; NULL where words are not reduced.
    const char *algorithm;
    /// What becomes of a letter once a word is reduced.
    godwit_letter fold;
    /// Articles and the like, between spaces, that go where `elision` joins them to a word: `l'avion`; NULL when there are none.
    const char *elided;
    char elision;
    /// What may stand within a word beside letters, marks and digits; NULL when nothing.
    const char *joiners;
    /// Whether I is the capital of ı and İ that of i, and an apostrophe parts a name from its endings, which go.
    bool is_turkish;
    /// Whether n and t may be put before a capital vowel: nAthair, whose word is athair.
    bool is_irish;
} godwit_language;

/// The language of a name; NULL when there is none.
const godwit_language *godwit_language_find(const char *name);

#endif
