//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_LETTERS_H
#define GODWIT_LETTERS_H

#include <stdint.h>

/// The conversion of a letter (a code point) in the words of a language; 0 to remove it.
typedef int32_t (*godwit_letter)(int32_t letter);

/// Decimal digits of any script become those of ASCII.
int32_t godwit_letter_plain(int32_t letter);

/// Latin letters lose their diacritics.
int32_t godwit_letter_latin(int32_t letter);

/// Forms of alef, yeh and teh marbuta become one each; vowel signs and tatweel are removed.
int32_t godwit_letter_arabic(int32_t letter);

/// As Arabic, and forms of yeh, kaf and heh become one each.
int32_t godwit_letter_persian(int32_t letter);

/// Nukta and joiners are removed, nasal signs become one, long vowels become short.
int32_t godwit_letter_hindi(int32_t letter);

/// Full-width Latin and half-width Katakana and Hangul become the usual ones.
int32_t godwit_letter_wide(int32_t letter);

#endif
