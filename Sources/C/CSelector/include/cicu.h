//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CICU_H
#define GODWIT_CICU_H

#include <stdint.h>

/// ICU's C names are macros that contain ICU's version; this function gives Swift a constant name.

/// Whether a text in UTF-8 is in Unicode's composed form (NFC). Returns 0 also for a text that is not UTF-8, and if
/// there is no memory.
int godwit_icu_is_composed(const char *_Nullable text, int32_t count);

#endif
