//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#ifndef GODWIT_LAST_WORDS_H
#define GODWIT_LAST_WORDS_H

#include <stdint.h>

/// The maximum length of last words, in bytes.
enum { LAST_WORDS_BYTES_MAX = 2048 };

/// Writes last words into a file when a signal of a fault ends this process: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGSEGV
/// or SIGFPE. The words are lines of text: the name of the signal, the time in seconds since 1970, and the linker names of
/// the functions of the thread, the innermost first. A function of the executable without such a name is its offset in the
/// executable, as `+` and hexadecimal digits. Then the earlier action for the signal is taken. If it is a handler after which
/// the process continues, the words are withdrawn. Only the first call has an effect.
///
/// Returns 0, or the error number if the file cannot be opened.
int last_words_keep(const char *path, int64_t offset);

#endif
