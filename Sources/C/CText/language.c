//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "language.h"
#include "textwords.h"

#include "dictionary.h"
#include "hash.h"
#include "snowball.h"

#include <stddef.h>
#include <string.h>

/// Must be increased if this code creates other words from a text.
static const uint32_t rules_version = 1;

static const godwit_language languages[] = {
    {.name = "arabic", .algorithm = "arabic", .fold = godwit_letter_arabic},
    {.name = "armenian", .algorithm = "armenian", .fold = godwit_letter_plain},
    {.name = "basque", .algorithm = "basque", .fold = godwit_letter_latin},
    // Portuguese in the spelling of Brazil: Lucene has a separate analyzer for it.
    {.name = "brazilian", .algorithm = "portuguese", .fold = godwit_letter_latin},
    {.name = "catalan", .algorithm = "catalan", .fold = godwit_letter_latin, .elided = " d l m n s t ", .elision = '\''},
    {.name = "chinese", .division = godwit_language_dictionary, .fold = godwit_letter_wide},
    {.name = "cjk", .division = godwit_language_pairs, .fold = godwit_letter_wide},
    {.name = "danish", .algorithm = "danish", .fold = godwit_letter_latin},
    {.name = "dutch", .algorithm = "dutch", .fold = godwit_letter_latin},
    {.name = "finnish", .algorithm = "finnish", .fold = godwit_letter_latin},
    {.name = "french",
     .algorithm = "french",
     .fold = godwit_letter_latin,
     .elided = " c d j jusqu l lorsqu m n puisqu qu quoiqu s t ",
     .elision = '\''},
    {.name = "german", .algorithm = "german", .fold = godwit_letter_latin},
    {.name = "greek", .algorithm = "greek", .fold = godwit_letter_plain},
    {.name = "hindi", .algorithm = "hindi", .fold = godwit_letter_hindi, .joiners = "\u200C\u200D"},
    {.name = "hungarian", .algorithm = "hungarian", .fold = godwit_letter_latin},
    {.name = "indonesian", .algorithm = "indonesian", .fold = godwit_letter_latin},
    {.name = "irish",
     .algorithm = "irish",
     .fold = godwit_letter_latin,
     .elided = " b d h m n t ",
     .elision = '\'',
     .is_irish = true},
    {.name = "italian",
     .algorithm = "italian",
     .fold = godwit_letter_latin,
     .elided = " agl all c coll d dagl dall degl dell gl l m negl nell pell s sugl sull t un v ",
     .elision = '\''},
    {.name = "japanese", .division = godwit_language_dictionary, .fold = godwit_letter_wide},
    {.name = "norwegian", .algorithm = "norwegian", .fold = godwit_letter_latin},
    {.name = "persian", .fold = godwit_letter_persian},
    {.name = "portuguese", .algorithm = "portuguese", .fold = godwit_letter_latin},
    {.name = "romanian", .algorithm = "romanian", .fold = godwit_letter_latin},
    {.name = "russian", .algorithm = "russian", .fold = godwit_letter_plain},
    {.name = "spanish", .algorithm = "spanish", .fold = godwit_letter_latin},
    {.name = "swedish", .algorithm = "swedish", .fold = godwit_letter_latin},
    {.name = "thai", .division = godwit_language_dictionary, .fold = godwit_letter_plain},
    {.name = "turkish", .algorithm = "turkish", .fold = godwit_letter_latin, .is_turkish = true},
};
static const int32_t language_count = sizeof languages / sizeof *languages;

const godwit_language *godwit_language_find(const char *name) {
    for (int32_t number = 0; number < language_count; number++)
        if (strcmp(languages[number].name, name) == 0) return &languages[number];
    return NULL;
}

const char *godwit_text_language_name(int32_t number) {
    return number >= 0 && number < language_count ? languages[number].name : NULL;
}

const char *godwit_text_language_failure(const char *name) {
    const godwit_language *language = godwit_language_find(name);
    if (language == NULL) return "There is no such language.";
    if (language->division == godwit_language_dictionary) return godwit_dictionary_failure();
    if (language->algorithm == NULL) return NULL;
    const char *failure = godwit_snowball_load();
    if (failure != NULL) return failure;
    struct sb_stemmer *stemmer = godwit_snowball_open(language->algorithm);
    if (stemmer == NULL) return "The Snowball that is installed does not have this language and is too old.";
    godwit_snowball_close(stemmer);
    return NULL;
}

uint64_t godwit_text_language_version(const char *name) {
    const godwit_language *language = godwit_language_find(name);
    uint64_t version = godwit_hash(godwit_hash_seed, &rules_version, sizeof rules_version);
    if (language != NULL && language->algorithm != NULL) {
        uint64_t snowball = godwit_snowball_version();
        version = godwit_hash(version, &snowball, sizeof snowball);
    }
    if (language != NULL && language->division == godwit_language_dictionary)
        version = godwit_dictionary_version(version);
    return version;
}
