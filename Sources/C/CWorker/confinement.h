//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CWORKER_CONFINEMENT_H
#define GODWIT_CWORKER_CONFINEMENT_H

// The two parts of `godwit_confine` on Linux. Each function returns 0, or the error of the system.

/// Restricts this process, with all its threads, to a list of system calls (seccomp).
int godwit_limit_calls(void);

/// Denies this thread, and the threads that it starts, access to the file system and new connections (Landlock), if the
/// kernel supports it.
int godwit_leave_file_system(void);

#endif
