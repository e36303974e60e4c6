//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CWORKER_H
#define GODWIT_CWORKER_H

#include <stddef.h>
#include <sys/types.h>

// Processes that this one starts for work that it does not trust: starting and ending them, talking to them with a time
// limit, and what such a process does to itself.

// MARK: Parent process

/// Starts a program whose standard input and output are one socket.
///
/// @param arguments The path of the program and what it is given, with NULL at the end.
/// @param environment All that it sees of the environment, with NULL at the end.
/// @param file Our end of the socket.
/// @return 0, or the error of the system.
int godwit_worker_start(char *const *arguments, char *const *environment, pid_t *process, int *file);

/// Ends a process, if need be by force, and waits for it.
///
/// @return Its status: what it gave to `exit`, or the signal's number below zero.
int godwit_worker_end(pid_t process, int file);

/// What became of reading or writing.
enum godwit_worker_result { GODWIT_WORKER_DONE, GODWIT_WORKER_CLOSED, GODWIT_WORKER_EXPIRED };

/// Reads so many bytes from a socket, before a moment of `godwit_worker_now`.
enum godwit_worker_result godwit_worker_read(int file, void *bytes, size_t count, double deadline);

/// Writes so many bytes to a socket, before a moment of `godwit_worker_now`.
enum godwit_worker_result godwit_worker_write(int file, const void *bytes, size_t count, double deadline);

/// Seconds on a clock that nobody sets.
double godwit_worker_now(void);

// MARK: Child process

/// The status with which a process ends that used more memory than it may.
enum { GODWIT_MEMORY_EXCEEDED_STATUS = 77 };

/// Closes every file but the first three, where `godwit_worker_start` cannot. To be called before threads start.
void godwit_close_inherited_files(void);

/// Starts a thread that ends this process when it uses more resident memory, or when its parent is gone.
///
/// Limits of the system cannot do it: JavaScriptCore reserves 70 GB of addresses that it never touches.
void godwit_watch_memory(size_t bytes_max);

/// Takes from this process, with all its threads and for ever, what it does not need: it may use memory, threads, time
/// and files that are open, and no more. Files, sockets, programs, other processes and keys are out of reach. The time
/// zone is read before.
///
/// A second wall: JavaScript has no way to any of it. On Linux a filter of calls (seccomp), and Landlock where the
/// kernel has it; on other systems it does nothing.
///
/// @return 0, or the error of the system that refused.
int godwit_confine(void);

#endif
