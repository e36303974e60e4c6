//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_LANGUAGE_H
#define GODWIT_LANGUAGE_H

#include "letters.h"

#include <stdbool.h>

/// The method that divides a run of letters, marks and digits into words.
typedef enum {
    /// The run is a word.
    godwit_language_runs,
    /// ICU's dictionary divides it.
    godwit_language_dictionary,
    /// Each pair of adjacent Chinese, Japanese or Korean characters is a word.
    godwit_language_pairs,
} godwit_language_division;

/// The rules for the words of a language.
typedef struct {
    const char *name;
    godwit_language_division division;
    /// Snowball's algorithm; NULL if words are not reduced.
    const char *algorithm;
    /// The conversion of a letter after the word is reduced.
    godwit_letter fold;
    /// Articles and similar words, separated by spaces, that are removed if `elision` joins them to a word: `l'avion`;
    /// NULL for none.
    const char *elided;
    char elision;
    /// Characters other than letters, marks and digits that may be inside a word; NULL for none.
    const char *joiners;
    /// Whether I is the capital of ı and İ that of i, and an apostrophe separates a name from its endings, which are
    /// removed.
    bool is_turkish;
    /// Whether n and t may be prefixed to a capital vowel: nAthair, whose word is athair.
    bool is_irish;
} godwit_language;

/// The language of a name; NULL if the name is unknown.
const godwit_language *godwit_language_find(const char *name);

#endif
