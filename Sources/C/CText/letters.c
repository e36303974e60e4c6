//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "letters.h"

#include "normalization.h"

#include <stddef.h>

int32_t godwit_letter_plain(int32_t letter) {
    int32_t digit = letter < 0x660 ? -1 : godwit_digit_value(letter);
    return digit < 0 ? letter : '0' + digit;
}

int32_t godwit_letter_latin(int32_t letter) {
    if (letter < 0xC0) return letter;
    if (letter >= 0x300 && letter < 0x370) return 0;
    if (letter >= 0x250 && (letter < 0x1E00 || letter >= 0x1F00)) return godwit_letter_plain(letter);
    for (godwit_decomposition parts; godwit_decompose(letter, &parts);) letter = parts.first;
    return letter;
}

int32_t godwit_letter_arabic(int32_t letter) {
    switch (letter) {
    case 0x622: case 0x623: case 0x625: case 0x671: return 0x627;
    case 0x649: return 0x64A;
    case 0x629: return 0x647;
    case 0x640: case 0x670: return 0;
    default: return letter >= 0x64B && letter <= 0x652 ? 0 : godwit_letter_plain(letter);
    }
}

int32_t godwit_letter_persian(int32_t letter) {
    switch (letter) {
    case 0x6CC: case 0x6D2: return 0x64A;
    case 0x6A9: return 0x643;
    case 0x6C0: case 0x6C1: return 0x647;
    case 0x654: return 0;
    default: return godwit_letter_arabic(letter);
    }
}

int32_t godwit_letter_hindi(int32_t letter) {
    static const uint16_t withoutNukta[] = {0x915, 0x916, 0x917, 0x91C, 0x921, 0x922, 0x92B, 0x92F};
    if (letter >= 0x958 && letter <= 0x95F) return withoutNukta[letter - 0x958];
    switch (letter) {
    case 0x200C: case 0x200D: case 0x93C: return 0;
    case 0x901: return 0x902;
    case 0x929: case 0x931: case 0x934: return letter - 1;
    case 0x906: case 0x972: return 0x905;
    case 0x908: return 0x907;
    case 0x90A: return 0x909;
    case 0x960: return 0x90B;
    case 0x961: return 0x90C;
    case 0x90D: case 0x90E: case 0x910: return 0x90F;
    case 0x911: case 0x912: case 0x914: return 0x913;
    case 0x940: return 0x93F;
    case 0x942: return 0x941;
    case 0x944: return 0x943;
    case 0x963: return 0x962;
    case 0x945: case 0x946: case 0x948: return 0x947;
    case 0x949: case 0x94A: case 0x94C: return 0x94B;
    default: return godwit_letter_plain(letter);
    }
}

int32_t godwit_letter_wide(int32_t letter) {
    if (letter < 0xFF00 || letter > 0xFFEF) return godwit_letter_plain(letter);
    return godwit_usual_width(letter);
}
