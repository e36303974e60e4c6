//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CKEYS_H
#define GODWIT_CKEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Operations on secrets that Swift does not have: erasing memory reliably, comparison in constant time, and the
// variadic calls of the kernel's key rings.

/// Overwrites memory with zeros, also if it is never read again. `bytes` may be NULL.
void godwit_wipe(void *bytes, size_t count);

/// Whether two blocks of memory are equal, in a time that depends on their length alone.
bool godwit_equal(const void *left, const void *right, size_t count);

#ifdef __linux__

#include <linux/keyctl.h>

/// Adds a key of the type `user` to a ring, or replaces the key with this name in the ring; see add_key(2).
///
/// @return The key's number, or the negative error number of the system.
long godwit_add_key(const char *name, const void *bytes, size_t count, int32_t ring);

/// Operates on keys and rings; see keyctl(2).
///
/// @return The result of the operation, or the negative error number of the system.
long godwit_keyctl(int operation, uintptr_t first, uintptr_t second, uintptr_t third, uintptr_t fourth);

#endif

#endif
