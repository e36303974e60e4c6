//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CKEYS_H
#define GODWIT_CKEYS_H

#if defined(__linux__) && !defined(__ANDROID__)
#include <linux/keyctl.h>
#endif
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Operations on secrets that Swift does not have: erasing memory reliably, comparison in constant time, and the
// variadic calls of the key rings of Linux's kernel. On other systems and Android, these calls return `-ENOSYS`.

/// Overwrites memory with zeros, also if it is never read again. `bytes` may be NULL.
void godwit_wipe(void *bytes, size_t count);

/// Whether two blocks of memory are equal, in a time that depends on their length alone.
bool godwit_equal(const void *left, const void *right, size_t count);

#if !defined(__linux__) || defined(__ANDROID__)
// Linux's numbers, so that callers need no condition.
#define KEY_SPEC_THREAD_KEYRING -1
#define KEY_SPEC_SESSION_KEYRING -3
#define KEY_SPEC_USER_KEYRING -4
#define KEYCTL_GET_KEYRING_ID 0
#define KEYCTL_SETPERM 5
#define KEYCTL_LINK 8
#define KEYCTL_UNLINK 9
#define KEYCTL_SEARCH 10
#define KEYCTL_READ 11
#ifndef ENOKEY
#define ENOKEY 126
#define EKEYEXPIRED 127
#define EKEYREVOKED 128
#endif
#endif

/// Adds a key of the type `user` to a ring, or replaces the key with this name in the ring; see add_key(2).
///
/// @return The key's number, or the negative error number of the system.
long godwit_add_key(const char *name, const void *bytes, size_t count, int32_t ring);

/// Operates on keys and rings; see keyctl(2).
///
/// @return The result of the operation, or the negative error number of the system.
long godwit_keyctl(int operation, uintptr_t first, uintptr_t second, uintptr_t third, uintptr_t fourth);

#endif
