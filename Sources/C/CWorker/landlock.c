//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "confinement.h"

#if defined(__linux__)

#include <errno.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Definitions of newer kernels' `linux/landlock.h`; older kernels support a part of them, and are asked for their
// version.

#if !defined(SYS_landlock_create_ruleset)
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self 446
#endif

/// Requests the version of the interface instead of a set of rules.
#define ASK_VERSION 1U

struct rules {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

/// The file rights of each version of the interface, beginning with the first.
static const uint64_t file_rights[] = {0x1FFF, 0x3FFF, 0x7FFF, 0x7FFF, 0xFFFF};

/// The rights to bind and to connect by TCP, since the fourth version.
static const uint64_t network_rights = 3;

int godwit_leave_file_system(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
    if (version < 1) return 0;
    long known = sizeof file_rights / sizeof *file_rights;
    struct rules rules = {.files = file_rights[(version < known ? version : known) - 1]};
    if (version >= 4) rules.network = network_rights;
    // A kernel accepts members that it does not know if they are zero.
    long set = syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    if (set < 0) return errno;
    // Without rules nothing is allowed.
    int error = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
    if (error == 0 && syscall(SYS_landlock_restrict_self, set, 0) != 0) error = errno;
    close((int)set);
    return error;
}

#endif
