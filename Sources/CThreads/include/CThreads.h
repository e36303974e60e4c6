//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CTHREADS_H
#define GODWIT_CTHREADS_H

// A system call for which the C library of Debian 12 has no function.

/// Lets other threads take the processor from the calling thread as soon as they wake. Threads that it starts are as usual.
///
/// A system that cannot do this leaves the thread as it is.
void godwit_be_preemptible(void);

#endif
