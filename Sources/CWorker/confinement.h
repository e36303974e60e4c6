//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CWORKER_CONFINEMENT_H
#define GODWIT_CWORKER_CONFINEMENT_H

// The two walls of `godwit_confine` on Linux. Each function gives 0, or the error of the system that refused.

/// Lets this process, with all its threads, make the calls of the system that it needs and no others (seccomp).
int godwit_limit_calls(void);

/// Takes the file system and new connections from this thread and those that it starts (Landlock), where the kernel
/// can.
int godwit_leave_file_system(void);

#endif
