//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE

#include "CKeys.h"

#include <errno.h>
// Android ends a process that calls these functions.
#if defined(__linux__) && !defined(__ANDROID__)

#include <sys/syscall.h>
#include <unistd.h>

long godwit_add_key(const char *name, const void *bytes, size_t count, int32_t ring) {
    long result = syscall(SYS_add_key, "user", name, bytes, count, ring);
    return result < 0 ? -errno : result;
}

long godwit_keyctl(int operation, uintptr_t first, uintptr_t second, uintptr_t third, uintptr_t fourth) {
    long result = syscall(SYS_keyctl, operation, first, second, third, fourth);
    return result < 0 ? -errno : result;
}

#else

long godwit_add_key(const char *name, const void *bytes, size_t count, int32_t ring) { return -ENOSYS; }

long godwit_keyctl(int operation, uintptr_t first, uintptr_t second, uintptr_t third, uintptr_t fourth) {
    return -ENOSYS;
}

#endif
