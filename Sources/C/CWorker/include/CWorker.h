//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_CWORKER_H
#define GODWIT_CWORKER_H

#include <stddef.h>
#include <sys/types.h>

// Processes for untrusted code: starting and ending them, communication with a time limit, and the confinement of such
// a process.

// MARK: Parent process

/// Starts a program whose standard input and output are one socket.
///
/// @param arguments The path of the program and its arguments, with NULL at the end.
/// @param environment The program's complete environment, with NULL at the end.
/// @param file The caller's end of the socket.
/// @return 0, or the error of the system.
int godwit_worker_start(char *const *arguments, char *const *environment, pid_t *process, int *file);

/// Ends a process, if necessary with a signal, and waits for it.
///
/// @return Its exit status, or the negative number of the signal that ended it.
int godwit_worker_end(pid_t process, int file);

/// The result of reading or writing.
enum godwit_worker_result { GODWIT_WORKER_DONE, GODWIT_WORKER_CLOSED, GODWIT_WORKER_EXPIRED };

/// Reads `count` bytes from a socket, until a deadline on the clock of `godwit_worker_now`.
enum godwit_worker_result godwit_worker_read(int file, void *bytes, size_t count, double deadline);

/// Writes `count` bytes to a socket, until a deadline on the clock of `godwit_worker_now`.
enum godwit_worker_result godwit_worker_write(int file, const void *bytes, size_t count, double deadline);

/// Seconds on a monotonic clock.
double godwit_worker_now(void);

// MARK: Child process

/// The exit status of a process that exceeded its memory limit.
enum { GODWIT_MEMORY_EXCEEDED_STATUS = 77 };

/// Closes every file but the first three, on systems where `godwit_worker_start` cannot. Must be called before threads
/// start.
void godwit_close_inherited_files(void);

/// Starts a thread that ends this process when it uses more resident memory than the limit, or when its parent has
/// ended.
///
/// Limits of the system cannot be used: JavaScriptCore reserves 70 GB of addresses that it never uses.
void godwit_watch_memory(size_t bytes_max);

/// Permanently restricts this process, with all its threads, to memory, threads, time and open files. It has no access
/// to other files, sockets, programs, processes and keys. The time zone is read before.
///
/// This is a second protection: JavaScript itself has no access to any of these. On Linux it is a filter of system
/// calls (seccomp), and Landlock if the kernel has it; on other systems it does nothing.
///
/// @return 0, or the error of the system.
int godwit_confine(void);

#endif
