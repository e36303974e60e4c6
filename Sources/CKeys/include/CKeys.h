//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CKEYS_H
#define GODWIT_CKEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What Swift cannot say about secrets: to wipe memory for certain, to compare without telling where two differ, and the
// variadic calls of the kernel's key rings.

/// Overwrites memory with zeros, also when nobody reads it again.
void godwit_wipe(void *bytes, size_t count);

/// Whether two pieces of memory are equal, in a time that depends on their length alone.
bool godwit_equal(const void *left, const void *right, size_t count);

#ifdef __linux__

#include <linux/keyctl.h>

/// Adds a key of the type `user` to a ring, or changes the one of this name there; see add_key(2).
///
/// @return The key's number, or the error of the system below zero.
long godwit_add_key(const char *name, const void *bytes, size_t count, int32_t ring);

/// Works on keys and rings; see keyctl(2).
///
/// @return What the operation gives, or the error of the system below zero.
long godwit_keyctl(int operation, uintptr_t first, uintptr_t second, uintptr_t third, uintptr_t fourth);

#endif

#endif
